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

constexpr std::string_view title = "muster-journal 1\n";
constexpr auto file_name = "journal";

std::unexpected<error> cannot(std::string_view text, const std::filesystem::path& file) {
    const auto reason = std::generic_category().message(errno);
    return fail(errc::unavailable, fmt::format("cannot {} {}: {}", text, file.string(), reason));
}

bool write_at_end(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(to, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

result<std::string> whole_file(int from, const std::filesystem::path& file) {
    std::string content;
    std::array<char, std::size_t{64} * 1024> buffer{};
    while (true) {
        const auto size = ::read(from, buffer.data(), buffer.size());
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
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return cannot("make", directory);
    const auto file = directory / file_name;
    if (!std::filesystem::exists(file)) {
        CHECK_OK(os::save_file({.file = file, .text = title}));
    }
    const int descriptor = open_file(file);
    if (descriptor < 0) return cannot("open", file);
    std::unique_ptr<journal> opened(new journal(file, descriptor));
    CHECK_OK(opened->read());
    return opened;
}

journal::~journal() {
    ::close(descriptor_);
}

result<void> journal::read() {
    TRY(const auto content, whole_file(descriptor_, file_));
    if (!content.starts_with(title)) {
        return fail(
            errc::corrupt,
            fmt::format("{} is not a journal of this agent; move it away", file_.string()));
    }
    std::size_t at = title.size();
    while (const auto next = decode(std::string_view(content).substr(at))) {
        change read_back{.id = std::string(next->what.id), .value = std::nullopt};
        if (next->what.what == entry::kind::put) read_back.value = next->what.value;
        keep(read_back);
        at += next->size;
    }
    dropped_bytes_ = content.size() - at;
    file_bytes_ = at;
    if (dropped_bytes_ == 0) return {};
    if (::ftruncate(descriptor_, static_cast<off_t>(at)) != 0 || ::fsync(descriptor_) != 0)
        return cannot("shorten", file_);
    return {};
}

// After a failed write the end of the file is cut back; when even that fails, or the disk did not
// take what was flushed, nobody knows what is on it, and nothing more is written.
result<void> journal::append(std::string_view records, durability how) {
    if (broken_) return fail(errc::unavailable, file_.string() + " failed before");
    CHECK_OK(settle());
    if (!write_at_end(descriptor_, records)) {
        const auto failure = cannot("write", file_);
        broken_ = ::ftruncate(descriptor_, static_cast<off_t>(file_bytes_)) != 0;
        return failure;
    }
    if (how == durability::flushed && ::fsync(descriptor_) != 0) {
        broken_ = true;
        return cannot("flush", file_);
    }
    file_bytes_ += records.size();
    return {};
}

result<void> journal::check(const std::vector<change>& changes) const {
    std::size_t added = 0;
    for (const auto& each : changes) {
        const auto size = each.value ? each.value->size() : 0;
        if (each.id.empty() || each.id.size() > id_bytes_max || size > record_bytes_max)
            return fail(errc::invalid, fmt::format("the record {} is too large", each.id));
        const auto old = records_.find(each.id);
        const auto old_size = old == records_.end() ? 0 : old->second.size();
        added += size > old_size ? size - old_size : 0;
    }
    if (live_bytes_ + added > live_bytes_max) return fail(errc::unavailable, "the journal is full");
    return {};
}

void journal::keep(const change& change) {
    if (const auto old = records_.find(change.id); old != records_.end()) {
        live_bytes_ -= old->second.size();
        records_.erase(old);
    }
    if (!change.value) return;
    live_bytes_ += change.value->size();
    records_.emplace(change.id, *change.value);
}

result<void> journal::apply(const std::vector<change>& changes, durability durability) {
    CHECK_OK(check(changes));
    std::string records;
    for (const auto& each : changes) {
        const auto what = each.value ? entry::kind::put : entry::kind::erase;
        if (what == entry::kind::erase && !records_.contains(each.id)) continue;
        records += encode(
            {.what = what,
             .id = each.id,
             .value = each.value ? std::string_view(*each.value) : std::string_view()});
    }
    if (records.empty()) return {};
    CHECK_OK(append(records, durability));
    for (const auto& each : changes) keep(each);
    compact_if_worth();
    return {};
}

result<void> journal::put(const std::string& id, std::string_view value) {
    return apply({{.id = id, .value = std::string(value)}}, durability::flushed);
}

result<void> journal::erase(const std::string& id) {
    return apply({{.id = id, .value = std::nullopt}}, durability::flushed);
}

void journal::compact_if_worth() {
    if (file_bytes_ < compaction_bytes_min || file_bytes_ < live_bytes_ * 4) return;
    // The record itself is on disk: a compaction that fails is tried again with the next one.
    ignore_error(compact(), "what is next written settles which file it goes to");
}

result<void> journal::compact() {
    std::string content(title);
    for (const auto& [id, value] : records_)
        content += encode({.what = entry::kind::put, .id = id, .value = value});
    settled_ = false;
    auto saved = os::save_file({.file = file_, .text = content});
    CHECK_OK(settle());
    return saved;
}

// After a compaction, also one that failed half-way: the name may lead to a new file, and what is
// written to the old one would be lost; the directory may not be on disk, and a power failure would
// bring the old one back.
result<void> journal::settle() {
    if (settled_) return {};
    struct stat ours{};
    struct stat named{};
    if (::fstat(descriptor_, &ours) != 0 || ::stat(file_.c_str(), &named) != 0)
        return cannot("look at", file_);
    if (ours.st_ino != named.st_ino || ours.st_dev != named.st_dev) {
        const int renewed = open_file(file_);
        if (renewed < 0) return cannot("open", file_);
        ::close(std::exchange(descriptor_, renewed));
        file_bytes_ = static_cast<std::size_t>(named.st_size);
    }
    CHECK_OK(os::flush_directory(file_.parent_path()));
    settled_ = true;
    return {};
}

}  // namespace muster::agent
