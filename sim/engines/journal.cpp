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

// The place is part of the checksum, so that a record cannot be taken for one written elsewhere.
std::uint64_t checksum(std::string_view content, std::uint64_t place) {
    return digest(content) ^ ((place + 1) * 0x9e3779b97f4a7c15);
}

std::string framed(std::string_view content, std::uint64_t place) {
    std::string frame;
    append_fixed(frame, content.size());
    append_fixed(frame, checksum(content, place));
    frame += content;
    return frame;
}

// The content of the frame that starts at `place`, if there is a whole and sound one.
std::optional<std::string_view> frame_at(std::string_view bytes, std::size_t place) {
    if (bytes.size() - place < frame_header_bytes) return std::nullopt;
    const auto size = read_fixed(bytes.substr(place));
    const auto sum = read_fixed(bytes.substr(place + 8));
    const auto rest = bytes.substr(place + frame_header_bytes);
    if (size == 0 || size > rest.size()) return std::nullopt;
    const auto content = rest.substr(0, size);
    if (checksum(content, place) != sum) return std::nullopt;
    return content;
}

struct checkpoint_file {
    std::uint64_t generation = 0;
    std::string state;
};

void fields(auto& archive, is<checkpoint_file> auto& what) {
    archive(what.generation, what.state);
}

}  // namespace

// A disk may return a flipped bit, but hardly the same one three times in a row.
async<std::string> journal::read_surely(std::string name) {
    constexpr int agreeing_reads = 3;
    CO_TRY(std::string content, co_await storage_.read(name));
    for (int agreed = 1; agreed < agreeing_reads;) {
        CO_TRY(std::string again, co_await storage_.read(name));
        agreed = again == content ? agreed + 1 : 1;
        content = std::move(again);
    }
    co_return content;
}

async<void> journal::read_checkpoint(contents& into) {
    if (!storage_.exists("checkpoint")) co_return result<void>();
    CO_TRY(const std::string bytes, co_await read_surely("checkpoint"));
    const auto content = frame_at(bytes, 0);
    if (!content) co_return fail(errc::corrupt, "the checkpoint is damaged");
    CO_TRY(checkpoint_file match, decode<checkpoint_file>(*content));
    generation_ = match.generation;
    into.checkpoint = std::move(match.state);
    co_return result<void>();
}

async<journal::contents> journal::open() {
    contents contents;
    CO_CHECK_OK(co_await read_checkpoint(contents));
    if (!storage_.exists(file())) co_return contents;

    CO_TRY(const std::string bytes, co_await read_surely(file()));
    std::size_t place = 0;
    while (const auto content = frame_at(bytes, place)) {
        contents.records.emplace_back(*content);
        place += frame_header_bytes + content->size();
    }
    if (place < bytes.size()) {
        where_.probes.reached(probe::journal_tail_torn);
        CO_CHECK_OK(co_await storage_.truncate(file(), place));
    }
    // Also when nothing was torn: what we are about to build on may itself not be durable yet.
    CO_CHECK_OK(co_await sync_file());
    record_bytes_ = place;
    co_return contents;
}

// A synced file is of no use after a crash that took its name.
async<void> journal::sync_file() {
    CO_CHECK_OK(co_await storage_.sync(file()));
    if (file_is_listed_) co_return result<void>();
    CO_CHECK_OK(co_await storage_.sync_directory());
    file_is_listed_ = true;
    co_return result<void>();
}

async<void> journal::append(std::string record) {
    std::string frame = framed(record, record_bytes_);
    const std::size_t size = frame.size();
    CO_CHECK_OK(co_await storage_.append(file(), std::move(frame)));
    const auto synced = co_await sync_file();
    if (!synced) co_return fail(errc::corrupt, "the journal could not be synced");
    record_bytes_ += size;
    co_return result<void>();
}

async<void> journal::checkpoint(std::string state) {
    where_.probes.reached(probe::journal_checkpoint);
    const std::string former = file();
    const checkpoint_file next{.generation = generation_ + 1, .state = std::move(state)};
    if (storage_.exists("checkpoint.new")) {
        CO_CHECK_OK(co_await storage_.remove("checkpoint.new"));
    }
    CO_CHECK_OK(co_await storage_.append("checkpoint.new", framed(encode(next), 0)));
    CO_CHECK_OK(co_await storage_.sync("checkpoint.new"));
    CO_CHECK_OK(co_await storage_.rename("checkpoint.new", "checkpoint"));
    CO_CHECK_OK(co_await storage_.sync_directory());
    generation_ = next.generation;
    record_bytes_ = 0;
    file_is_listed_ = false;
    if (!storage_.exists(former)) co_return result<void>();
    co_return co_await storage_.remove(former);
}

}  // namespace muster::sim
