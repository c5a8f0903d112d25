#include "apps/agent/tasks/payload_store.h"

#include "adapters/agent_protocol/task_frames.h"
#include "adapters/os/file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <optional>
#include <zstd.h>

namespace muster::agent {
namespace {

constexpr auto file_extension = ".zst";
constexpr int compression_level = 3;

// "JOB-ATTEMPT.zst"
std::optional<session::task_name> parse_file_name(const std::filesystem::path& file) {
    const auto text = file.stem().string();
    session::task_name name;
    const auto* end = text.data() + text.size();
    const auto [middle, bad_job] = std::from_chars(text.data(), end, name.job);
    if (bad_job != std::errc() || middle == end || *middle != '-'
        || file.extension() != file_extension)
        return std::nullopt;
    const auto [stopped, bad_attempt] = std::from_chars(middle + 1, end, name.attempt);
    if (bad_attempt != std::errc() || stopped != end) return std::nullopt;
    return name;
}

}  // namespace

result<payload_store> payload_store::open(
    std::filesystem::path directory, const std::set<session::task_name>& referenced) {
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return fail(errc::unavailable, fmt::format("cannot create {}", directory.string()));
    payload_store result(std::move(directory));
    std::error_code failure;
    for (const auto& file : std::filesystem::directory_iterator(result.directory_, failure)) {
        const auto task = parse_file_name(file.path());
        if (!task || !referenced.contains(*task)) {
            std::filesystem::remove(file.path(), failure);
            continue;
        }
        const auto size = file.file_size(failure);
        result.sizes_[*task] = size;
        result.stored_bytes_ += size;
    }
    return result;
}

std::filesystem::path payload_store::path_of(session::task_name task) const {
    return directory_ / fmt::format("{}-{}{}", task.job, task.attempt, file_extension);
}

result<void> payload_store::save(session::task_name task, std::string_view payload) {
    std::string compressed(ZSTD_compressBound(payload.size()), '\0');
    const auto size = ZSTD_compress(
        compressed.data(), compressed.size(), payload.data(), payload.size(), compression_level);
    if (ZSTD_isError(size) != 0)
        return fail(errc::unavailable, fmt::format("zstd: {}", ZSTD_getErrorName(size)));
    compressed.resize(size);
    using limits = agent_protocol::task_limits;
    if (payload.size() > limits::payload_bytes_max || size > limits::payload_compressed_bytes_max)
        return fail(
            errc::invalid,
            fmt::format(
                "payload of {} bytes ({} compressed) exceeds the limit of a node",
                payload.size(),
                size));
    remove(task);
    if (stored_bytes_ + size > bytes_max)
        return fail(
            errc::unavailable, "payload store is full; no node has fetched the stored payloads");
    CHECK_OK(os::save_file({.file = path_of(task), .text = compressed}));
    sizes_[task] = size;
    stored_bytes_ += size;
    return {};
}

result<payload_store::part> payload_store::read(
    session::task_name task, std::uint64_t offset, std::size_t size_max) const {
    const auto it = sizes_.find(task);
    if (it == sizes_.end() || offset > it->second)
        return fail(errc::not_found, "payload not found");
    std::ifstream stream(path_of(task), std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(offset));
    payload_store::part part{
        .content = std::string(std::min<std::uint64_t>(size_max, it->second - offset), 0)};
    stream.read(part.content.data(), static_cast<std::streamsize>(part.content.size()));
    if (!stream) return fail(errc::not_found, "cannot read payload");
    part.last = offset + part.content.size() == it->second;
    return part;
}

void payload_store::remove(session::task_name task) {
    const auto it = sizes_.find(task);
    if (it == sizes_.end()) return;
    std::error_code failure;
    std::filesystem::remove(path_of(task), failure);
    stored_bytes_ -= it->second;
    sizes_.erase(it);
}

}  // namespace muster::agent
