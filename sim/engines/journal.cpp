#include "sim/engines/journal.h"

#include "sim/engines/codec.h"

#include <utility>

namespace muster::sim {

namespace {

constexpr std::size_t frame_header_bytes = 16;

void append_fixed(std::string& bytes, std::uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift);
}

std::uint64_t read_fixed(std::string_view bytes) {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < 8; ++i) {
        number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return number;
}

// The checksum includes the offset, so a record cannot be mistaken for one written elsewhere.
std::uint64_t checksum(std::string_view content, std::uint64_t offset) {
    return digest(content) ^ ((offset + 1) * 0x9e3779b97f4a7c15);
}

std::string build_frame(std::string_view content, std::uint64_t offset) {
    std::string frame;
    append_fixed(frame, content.size());
    append_fixed(frame, checksum(content, offset));
    frame += content;
    return frame;
}

// The content of the frame that starts at `offset`, if it is complete and valid.
std::optional<std::string_view> frame_at(std::string_view bytes, std::size_t offset) {
    if (bytes.size() - offset < frame_header_bytes) return std::nullopt;
    const auto size = read_fixed(bytes.substr(offset));
    const auto sum = read_fixed(bytes.substr(offset + 8));
    const auto rest = bytes.substr(offset + frame_header_bytes);
    if (size == 0 || size > rest.size()) return std::nullopt;
    const auto content = rest.substr(0, size);
    if (checksum(content, offset) != sum) return std::nullopt;
    return content;
}

struct checkpoint_file {
    std::uint64_t generation = 0;
    std::string state;
};

void fields(auto& archive, is<checkpoint_file> auto& value) {
    archive(value.generation, value.state);
}

}  // namespace

// A read can return a flipped bit, but hardly the same one three times in a row.
async<std::string> journal::read_reliably(std::string name) {
    constexpr int agreeing_reads = 3;
    CO_TRY(std::string content, co_await storage_.read(name));
    for (int agreed = 1; agreed < agreeing_reads;) {
        CO_TRY(std::string repeated, co_await storage_.read(name));
        agreed = repeated == content ? agreed + 1 : 1;
        content = std::move(repeated);
    }
    co_return content;
}

async<void> journal::read_checkpoint(contents& loaded) {
    if (!storage_.exists("checkpoint")) co_return result<void>();
    CO_TRY(const std::string bytes, co_await read_reliably("checkpoint"));
    const auto content = frame_at(bytes, 0);
    if (!content) co_return fail(errc::corrupt, "checkpoint is damaged");
    CO_TRY(checkpoint_file stored, decode<checkpoint_file>(*content));
    generation_ = stored.generation;
    loaded.checkpoint = std::move(stored.state);
    co_return result<void>();
}

async<journal::contents> journal::open() {
    contents contents;
    CO_CHECK_OK(co_await read_checkpoint(contents));
    if (!storage_.exists(file())) co_return contents;

    CO_TRY(const std::string bytes, co_await read_reliably(file()));
    std::size_t offset = 0;
    while (const auto content = frame_at(bytes, offset)) {
        contents.records.emplace_back(*content);
        offset += frame_header_bytes + content->size();
    }
    if (offset < bytes.size()) {
        simulation_.probes.reached(probe::journal_tail_torn);
        CO_CHECK_OK(co_await storage_.truncate(file(), offset));
    }
    // Sync also an intact file: its last records may not be durable yet.
    CO_CHECK_OK(co_await sync_file());
    record_bytes_ = offset;
    co_return contents;
}

// A synced file is useless after a crash that lost its name.
async<void> journal::sync_file() {
    CO_CHECK_OK(co_await storage_.sync(file()));
    if (file_is_listed_) co_return result<void>();
    CO_CHECK_OK(co_await storage_.sync_directory());
    file_is_listed_ = true;
    co_return result<void>();
}

async<void> journal::append(std::string record) {
    std::string frame = build_frame(record, record_bytes_);
    const std::size_t size = frame.size();
    CO_CHECK_OK(co_await storage_.append(file(), std::move(frame)));
    const auto synced = co_await sync_file();
    if (!synced) co_return fail(errc::corrupt, "journal sync failed");
    record_bytes_ += size;
    co_return result<void>();
}

async<void> journal::checkpoint(std::string state) {
    simulation_.probes.reached(probe::journal_checkpoint);
    const std::string old_file = file();
    const checkpoint_file next{.generation = generation_ + 1, .state = std::move(state)};
    if (storage_.exists("checkpoint.new")) {
        CO_CHECK_OK(co_await storage_.remove("checkpoint.new"));
    }
    CO_CHECK_OK(co_await storage_.append("checkpoint.new", build_frame(encode(next), 0)));
    CO_CHECK_OK(co_await storage_.sync("checkpoint.new"));
    CO_CHECK_OK(co_await storage_.rename("checkpoint.new", "checkpoint"));
    CO_CHECK_OK(co_await storage_.sync_directory());
    generation_ = next.generation;
    record_bytes_ = 0;
    file_is_listed_ = false;
    if (!storage_.exists(old_file)) co_return result<void>();
    co_return co_await storage_.remove(old_file);
}

}  // namespace muster::sim
