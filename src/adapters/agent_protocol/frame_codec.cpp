#include "adapters/agent_protocol/frame_codec.h"

#include "base/assert.h"
#include "base/release_memory.h"

#include <cstdint>
#include <utility>

namespace muster::agent_protocol {
namespace {

void append_size(std::string& out, std::size_t size) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((size >> shift) & 0xff);
}

std::size_t read_size(std::string_view bytes) {
    std::size_t size = 0;
    for (const char byte : bytes) size = size << 8 | static_cast<unsigned char>(byte);
    return size;
}

}  // namespace

void append(std::string& out, const Frame& frame) {
    MUSTER_ASSERT(frame.kind_case() != Frame::KIND_NOT_SET);
    const std::size_t size = frame.ByteSizeLong();
    MUSTER_ASSERT(size <= frame_limits::frame_bytes_max);
    append_size(out, size);
    MUSTER_ASSERT(frame.AppendToString(&out));
}

std::string encode(const Frame& frame) {
    std::string out;
    append(out, frame);
    return out;
}

void frame_reader::feed(std::string_view bytes) {
    if (rejection_.empty()) received_.append(bytes);
}

result<std::optional<Frame>> frame_reader::next() {
    if (!rejection_.empty()) return fail(errc::invalid, rejection_);
    const auto buffered = std::string_view(received_).substr(consumed_);
    if (buffered.size() < frame_limits::prefix_bytes) {
        discard_consumed();
        return std::nullopt;
    }
    const std::size_t size = read_size(buffered.substr(0, frame_limits::prefix_bytes));
    if (size == 0) return reject("empty frame");
    if (size > bytes_max_)
        return reject(
            "frame of " + std::to_string(size) + " bytes exceeds the limit of "
            + std::to_string(bytes_max_));
    if (buffered.size() < frame_limits::prefix_bytes + size) {
        discard_consumed();
        return std::nullopt;
    }
    Frame frame;
    const bool readable =
        frame.ParseFromArray(buffered.data() + frame_limits::prefix_bytes, static_cast<int>(size));
    if (!readable) return reject("malformed frame");
    if (frame.kind_case() == Frame::KIND_NOT_SET) return reject("unknown frame kind");
    consumed_ += frame_limits::prefix_bytes + size;
    if (empty()) discard_consumed();
    return frame;
}

std::unexpected<error> frame_reader::reject(std::string reason) {
    rejection_ = std::move(reason);
    release_memory(received_);
    consumed_ = 0;
    return fail(errc::invalid, rejection_);
}

// Moves the rest to the front at most once per feed().
void frame_reader::discard_consumed() {
    if (empty()) {
        release_memory(received_);
    } else {
        received_.erase(0, consumed_);
    }
    consumed_ = 0;
}

}  // namespace muster::agent_protocol
