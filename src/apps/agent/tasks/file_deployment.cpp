#include "apps/agent/tasks/file_deployment.h"

#include "adapters/os/random.h"
#include "apps/agent/process/account.h"
#include "apps/agent/tasks/captured_output.h"
#include "apps/agent/tasks/line_difference.h"
#include "apps/agent/tasks/parent_directory.h"
#include "base/hex.h"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::agent {
namespace {

namespace json = boost::json;
using file_kind = desired_file::file_kind;

constexpr ::mode_t default_file_mode = 0644;
constexpr ::mode_t default_directory_mode = 0755;
constexpr ::mode_t permission_bits = 07777;

std::unexpected<error> cannot(std::string_view action, const std::string& path) {
    const auto reason = std::generic_category().message(errno);
    return fail(errc::unavailable, fmt::format("cannot {} {}: {}", action, path, reason));
}

// The current state of a path.
struct file_state {
    bool exists = false;
    struct ::stat stat = {};
    std::string target;                  // of a link
    std::optional<std::string> content;  // of a file small enough to compare
};

result<std::string> read_file(
    const parent_directory& parent, const std::string& path, std::size_t size) {
    const int descriptor =
        ::openat(parent.get(), parent.name(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return cannot("read", path);
    std::string content(size + 1, '\0');
    std::size_t used = 0;
    while (used < content.size()) {
        const auto count = ::read(descriptor, content.data() + used, content.size() - used);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        used += static_cast<std::size_t>(count);
    }
    ::close(descriptor);
    content.resize(used);
    return content;
}

result<file_state> read_state(const parent_directory& parent, const std::string& path) {
    file_state state;
    if (::fstatat(parent.get(), parent.name(), &state.stat, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return state;
        return cannot("stat", path);
    }
    state.exists = true;
    if (S_ISLNK(state.stat.st_mode)) {
        std::array<char, PATH_MAX> target{};
        const auto size = ::readlinkat(parent.get(), parent.name(), target.data(), target.size());
        if (size < 0) return cannot("read", path);
        state.target.assign(target.data(), static_cast<std::size_t>(size));
    }
    const auto size = static_cast<std::size_t>(state.stat.st_size);
    if (S_ISREG(state.stat.st_mode) && size <= deployment_limits::compared_bytes_max) {
        TRY(state.content, read_file(parent, path, size));
    }
    return state;
}

// The owner to set; nullopt: unchanged.
struct desired_owner {
    std::optional<::uid_t> user;
    std::optional<::gid_t> group;
};

result<desired_owner> find_owner(const desired_file& file) {
    desired_owner result;
    if (file.owner.empty() && file.group.empty()) return result;
    TRY(const auto account, find_account(file.owner, file.group));
    if (!file.owner.empty()) result.user = account.user;
    if (!file.group.empty()) result.group = account.group;
    return result;
}

bool has_kind(const file_state& current, file_kind desired) {
    switch (desired) {
        case file_kind::file:
            return S_ISREG(current.stat.st_mode);
        case file_kind::directory:
            return S_ISDIR(current.stat.st_mode);
        case file_kind::symlink:
            return S_ISLNK(current.stat.st_mode);
    }
    return false;
}

// Names of the properties that differ.
std::vector<std::string> differences(
    const desired_file& file, const file_state& current, const desired_owner& owner) {
    if (!current.exists) return {"missing"};
    if (!has_kind(current, file.kind)) return {"type"};
    std::vector<std::string> result;
    if (file.kind == file_kind::file && current.content != file.content)
        result.emplace_back("contents");
    if (file.kind == file_kind::symlink && current.target != file.target)
        result.emplace_back("target");
    const bool has_mode = file.kind != file_kind::symlink;
    if (has_mode && file.mode && (current.stat.st_mode & permission_bits) != *file.mode)
        result.emplace_back("mode");
    if (owner.user && *owner.user != current.stat.st_uid) result.emplace_back("owner");
    if (owner.group && *owner.group != current.stat.st_gid) result.emplace_back("group");
    return result;
}

result<void> write_all(int descriptor, std::string_view content, const std::string& path) {
    while (!content.empty()) {
        const auto size = ::write(descriptor, content.data(), content.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return cannot("write", path);
        content.remove_prefix(static_cast<std::size_t>(size));
    }
    return {};
}

// -1 leaves the owner unchanged.
::uid_t user_or_unchanged(const desired_owner& owner) {
    return owner.user.value_or(static_cast<::uid_t>(-1));
}
::gid_t group_or_unchanged(const desired_owner& owner) {
    return owner.group.value_or(static_cast<::gid_t>(-1));
}

result<void> fill(
    int descriptor,
    const desired_file& file,
    const file_state& current,
    const desired_owner& owner) {
    CHECK_OK(write_all(descriptor, file.content, file.path));
    auto new_owner = owner;
    auto mode = file.mode.value_or(default_file_mode);
    if (current.exists && S_ISREG(current.stat.st_mode)) {
        if (!new_owner.user) new_owner.user = current.stat.st_uid;
        if (!new_owner.group) new_owner.group = current.stat.st_gid;
        if (!file.mode) mode = current.stat.st_mode & permission_bits;
    }
    // The owner first: fchown clears mode bits.
    if (::fchown(descriptor, user_or_unchanged(new_owner), group_or_unchanged(new_owner)) != 0)
        return cannot("change the owner of", file.path);
    if (::fchmod(descriptor, mode) != 0) return cannot("set the mode of", file.path);
    if (::fsync(descriptor) != 0) return cannot("write", file.path);
    return {};
}

// A name that others cannot guess.
std::string random_name() {
    constexpr std::size_t random_bytes_count = 8;
    return ".muster-" + to_hex(os::random_bytes(random_bytes_count));
}

result<void> move_into_place(
    const parent_directory& parent, const std::string& temporary, const std::string& path) {
    if (::renameat(parent.get(), temporary.c_str(), parent.get(), parent.name()) != 0)
        return cannot("replace", path);
    return {};
}

result<void> write_file(
    const parent_directory& parent,
    const desired_file& file,
    const file_state& current,
    const desired_owner& owner) {
    if (current.exists && S_ISDIR(current.stat.st_mode))
        return fail(errc::conflict, fmt::format("{} is a directory", file.path));
    const auto temporary = random_name();
    constexpr int create_flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int descriptor =
        ::openat(parent.get(), temporary.c_str(), create_flags, S_IRUSR | S_IWUSR);
    if (descriptor < 0) return cannot("create a temporary file next to", file.path);
    auto done = fill(descriptor, file, current, owner);
    if (::close(descriptor) != 0 && done) done = cannot("write", file.path);
    if (done) done = move_into_place(parent, temporary, file.path);
    if (!done) ::unlinkat(parent.get(), temporary.c_str(), 0);
    if (done) parent.flush();
    return done;
}

// Changes the owner only if the name still refers to a link.
result<void> change_link_owner(
    const parent_directory& parent,
    const std::string& temporary,
    const desired_owner& owner,
    const std::string& path) {
    const int link = ::openat(parent.get(), temporary.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (link < 0) return cannot("change the owner of", path);
    struct ::stat stat = {};
    const bool changed =
        ::fstat(link, &stat) == 0 && S_ISLNK(stat.st_mode)
        && ::fchownat(link, "", user_or_unchanged(owner), group_or_unchanged(owner), AT_EMPTY_PATH)
               == 0;
    auto failed = cannot("change the owner of", path);
    ::close(link);
    if (!changed) return failed;
    return {};
}

result<void> write_link(
    const parent_directory& parent,
    const desired_file& file,
    const file_state& current,
    const desired_owner& owner) {
    if (current.exists && S_ISDIR(current.stat.st_mode))
        return fail(errc::conflict, fmt::format("{} is a directory", file.path));
    const auto temporary = random_name();
    if (::symlinkat(file.target.c_str(), parent.get(), temporary.c_str()) != 0)
        return cannot("create the link", file.path);
    auto done = change_link_owner(parent, temporary, owner, file.path);
    if (done) done = move_into_place(parent, temporary, file.path);
    if (!done) ::unlinkat(parent.get(), temporary.c_str(), 0);
    if (done) parent.flush();
    return done;
}

result<void> write_directory(
    const parent_directory& parent,
    const desired_file& file,
    const file_state& current,
    const desired_owner& owner) {
    if (current.exists && !S_ISDIR(current.stat.st_mode))
        return fail(errc::conflict, fmt::format("{} exists and is not a directory", file.path));
    if (!current.exists && ::mkdirat(parent.get(), parent.name(), default_directory_mode) != 0)
        return cannot("create", file.path);
    const int descriptor =
        ::openat(parent.get(), parent.name(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return cannot("open", file.path);
    const bool owner_changed =
        ::fchown(descriptor, user_or_unchanged(owner), group_or_unchanged(owner)) == 0;
    const bool changed = owner_changed && (!file.mode || ::fchmod(descriptor, *file.mode) == 0);
    auto failed = cannot("change", file.path);
    ::close(descriptor);
    if (!changed) return failed;
    return {};
}

result<void> write(
    const parent_directory& parent,
    const desired_file& file,
    const file_state& current,
    const desired_owner& owner) {
    switch (file.kind) {
        case file_kind::file:
            return write_file(parent, file, current, owner);
        case file_kind::directory:
            return write_directory(parent, file, current, owner);
        case file_kind::symlink:
            return write_link(parent, file, current, owner);
    }
    return {};
}

// Returns no diff of files that not everybody may read.
std::string build_diff(const desired_file& file, const file_state& current) {
    if (file.kind != file_kind::file || (current.exists && !current.content)) return {};
    const bool was_readable = !current.exists || (current.stat.st_mode & S_IROTH) != 0;
    const bool is_readable = !file.mode || (*file.mode & S_IROTH) != 0;
    if (!was_readable || !is_readable) return {};
    return line_difference(
        current.content.value_or(std::string()), file.content, deployment_limits::diff_bytes_max);
}

struct file_change {
    std::vector<std::string> changes;
    std::string diff;
};

result<file_change> apply_file(const desired_file& file, bool test) {
    using if_missing = parent_directory::if_missing;
    TRY(const auto owner, find_owner(file));
    const auto parent =
        parent_directory::open(file.path, test ? if_missing::report : if_missing::create);
    const bool no_parent = test && !parent && parent.error().code() == errc::not_found;
    if (!parent && !no_parent) return fail(parent.error());
    file_state current;
    if (!no_parent) {
        TRY(current, read_state(*parent, file.path));
    }
    file_change change{.changes = differences(file, current, owner), .diff = {}};
    if (change.changes.empty()) return change;
    if (test) {
        change.diff = build_diff(file, current);
    } else {
        CHECK_OK(write(*parent, file, current, owner));
    }
    return change;
}

json::object to_json(const desired_file& file, const result<file_change>& change, bool test) {
    json::object result{{"path", to_utf8(file.path).text}};
    if (!change) {
        result["result"] = "failed";
        result["reason"] = to_utf8(change.error().detail()).text;
        return result;
    }
    const bool unchanged = change->changes.empty();
    result["result"] = unchanged ? "same" : test ? "differs" : "written";
    if (unchanged) return result;
    json::array changes;
    for (const auto& name : change->changes) changes.emplace_back(name);
    result["changes"] = std::move(changes);
    return result;
}

}  // namespace

deployment_outcome deploy(const deployment_request& request) {
    deployment_outcome outcome;
    json::array files;
    std::size_t diff_bytes = 0;
    for (const auto& file : request.files) {
        const auto change = apply_file(file, request.test);
        auto entry = to_json(file, change, request.test);
        if (!change) {
            ++outcome.failed;
            if (outcome.reason.empty()) outcome.reason = to_utf8(change.error().detail()).text;
        } else if (!change->changes.empty()) {
            ++outcome.changed;
            diff_bytes += change->diff.size();
            const bool fits = diff_bytes <= deployment_limits::payload_bytes_max;
            if (!change->diff.empty() && fits) entry["diff"] = change->diff;
        }
        files.push_back(std::move(entry));
    }
    outcome.payload = json::serialize(json::object{
        {"files", std::move(files)},
        {"changed", static_cast<std::int64_t>(outcome.changed)},
        {"failed", static_cast<std::int64_t>(outcome.failed)}});
    return outcome;
}

}  // namespace muster::agent
