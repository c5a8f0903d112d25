#include "apps/agent/journal/journal.h"

#include "adapters/os/file.h"
#include "apps/agent/journal/entry.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::agent {
namespace {

constexpr std::string_view file_header = "muster-journal 1\n";
constexpr auto file_name = "journal";

std::unexpected<error> cannot(std::string_view action, const std::filesystem::path& file) {
    const auto reason = std::generic_category().message(errno);
    return fail(errc::unavailable, fmt::format("cannot {} {}: {}", action, file.string(), reason));
}

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

result<std::string> read_all(int descriptor, const std::filesystem::path& file) {
    std::string content;
    std::array<char, std::size_t{64} * 1024> buffer{};
    while (true) {
        const auto size = ::read(descriptor, buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return cannot("read", file);
        if (size == 0) return content;
        content.append(buffer.data(), static_cast<std::size_t>(size));
    }
}

int open_file(const std::filesystem::path& file) {
    return ::open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
}

}  // namespace

result<std::unique_ptr<journal>> journal::open(const std::filesystem::path& directory) {
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return cannot("create", directory);
    const auto file = directory / file_name;
    if (!std::filesystem::exists(file)) {
        CHECK_OK(os::save_file({.file = file, .text = file_header}));
    }
    const int descriptor = open_file(file);
    if (descriptor < 0) return cannot("open", file);
    std::unique_ptr<agent::journal> journal(new agent::journal(file, descriptor));
    CHECK_OK(journal->read());
    return journal;
}

journal::~journal() {
    ::close(descriptor_);
}

result<void> journal::read() {
    TRY(const auto content, read_all(descriptor_, file_));
    if (!content.starts_with(file_header)) {
        return fail(
            errc::corrupt,
            fmt::format("{} is not an agent journal; move the file away", file_.string()));
    }
    std::size_t offset = file_header.size();
    while (const auto decoded = decode(std::string_view(content).substr(offset))) {
        change stored{.id = std::string(decoded->entry.id), .value = std::nullopt};
        if (decoded->entry.kind == entry::entry_kind::put) stored.value = decoded->entry.value;
        apply_to_memory(stored);
        offset += decoded->size;
    }
    dropped_bytes_ = content.size() - offset;
    file_bytes_ = offset;
    if (dropped_bytes_ == 0) return {};
    if (::ftruncate(descriptor_, static_cast<off_t>(offset)) != 0 || ::fsync(descriptor_) != 0)
        return cannot("truncate", file_);
    return {};
}

// After a failed write the file is truncated. If that or a flush fails, the state of the disk is
// unknown, and nothing more is written.
result<void> journal::append(std::string_view records, durability mode) {
    if (broken_)
        return fail(
            errc::unavailable,
            file_.string() + " is not writable after an earlier failure; restart the agent");
    CHECK_OK(reopen_if_replaced());
    if (!write_all(descriptor_, records)) {
        const auto failure = cannot("write", file_);
        broken_ = ::ftruncate(descriptor_, static_cast<off_t>(file_bytes_)) != 0;
        return failure;
    }
    if (mode == durability::flushed && ::fsync(descriptor_) != 0) {
        broken_ = true;
        return cannot("flush", file_);
    }
    file_bytes_ += records.size();
    return {};
}

result<void> journal::check(const std::vector<change>& changes) const {
    std::size_t added = 0;
    for (const auto& change : changes) {
        const auto size = change.value ? change.value->size() : 0;
        if (change.id.empty() || change.id.size() > id_bytes_max || size > record_bytes_max)
            return fail(errc::invalid, fmt::format("record \"{}\" is too large", change.id));
        const auto existing = records_.find(change.id);
        const auto existing_size = existing == records_.end() ? 0 : existing->second.size();
        added += size > existing_size ? size - existing_size : 0;
    }
    if (live_bytes_ + added > live_bytes_max) return fail(errc::unavailable, "journal is full");
    return {};
}

void journal::apply_to_memory(const change& change) {
    if (const auto existing = records_.find(change.id); existing != records_.end()) {
        live_bytes_ -= existing->second.size();
        records_.erase(existing);
    }
    if (!change.value) return;
    live_bytes_ += change.value->size();
    records_.emplace(change.id, *change.value);
}

result<void> journal::apply(const std::vector<change>& changes, durability durability) {
    CHECK_OK(check(changes));
    std::string records;
    for (const auto& change : changes) {
        const auto kind = change.value ? entry::entry_kind::put : entry::entry_kind::erase;
        if (kind == entry::entry_kind::erase && !records_.contains(change.id)) continue;
        records += encode(
            {.kind = kind,
             .id = change.id,
             .value = change.value ? std::string_view(*change.value) : std::string_view()});
    }
    if (records.empty()) return {};
    CHECK_OK(append(records, durability));
    for (const auto& change : changes) apply_to_memory(change);
    compact_if_useful();
    return {};
}

result<void> journal::put(const std::string& id, std::string_view value) {
    return apply({{.id = id, .value = std::string(value)}}, durability::flushed);
}

result<void> journal::erase(const std::string& id) {
    return apply({{.id = id, .value = std::nullopt}}, durability::flushed);
}

void journal::compact_if_useful() {
    if (file_bytes_ < compaction_bytes_min || file_bytes_ < live_bytes_ * 4) return;
    // The record is on disk; a failed compaction is retried with the next one.
    ignore_error(compact(), "the next write reopens a replaced file");
}

result<void> journal::compact() {
    std::string content(file_header);
    for (const auto& [id, value] : records_)
        content += encode({.kind = entry::entry_kind::put, .id = id, .value = value});
    current_ = false;
    auto saved = os::save_file({.file = file_, .text = content});
    CHECK_OK(reopen_if_replaced());
    return saved;
}

// Called after a compaction, which may have failed half-way. If the name refers to a new file,
// writes to the old one would be lost. The directory is flushed, because a power failure could
// bring the old file back.
result<void> journal::reopen_if_replaced() {
    if (current_) return {};
    struct stat open_stat{};
    struct stat named_stat{};
    if (::fstat(descriptor_, &open_stat) != 0 || ::stat(file_.c_str(), &named_stat) != 0)
        return cannot("stat", file_);
    if (open_stat.st_ino != named_stat.st_ino || open_stat.st_dev != named_stat.st_dev) {
        const int reopened = open_file(file_);
        if (reopened < 0) return cannot("open", file_);
        ::close(std::exchange(descriptor_, reopened));
        file_bytes_ = static_cast<std::size_t>(named_stat.st_size);
    }
    CHECK_OK(os::flush_directory(file_.parent_path()));
    current_ = true;
    return {};
}

}  // namespace muster::agent
