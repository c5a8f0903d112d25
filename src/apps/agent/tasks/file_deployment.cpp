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
using kind = desired_file::kind;

constexpr ::mode_t usual_file_mode = 0644;
constexpr ::mode_t usual_directory_mode = 0755;
constexpr ::mode_t permission_bits = 07777;

std::unexpected<error> cannot(std::string_view text, const std::string& path) {
    const auto why = std::generic_category().message(errno);
    return fail(errc::unavailable, fmt::format("cannot {} {}: {}", text, path, why));
}

// What stands at a path now.
struct file_state {
    bool there = false;
    struct ::stat how = {};
    std::string target;                  // of a link
    std::optional<std::string> content;  // of a file that is not too large to be compared
};

result<std::string> read_file(
    const parent_directory& in_it, const std::string& path, std::size_t size) {
    const int in =
        ::openat(in_it.get(), in_it.name(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (in < 0) return cannot("read", path);
    std::string content(size + 1, '\0');
    std::size_t held = 0;
    while (held < content.size()) {
        const auto got = ::read(in, content.data() + held, content.size() - held);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        held += static_cast<std::size_t>(got);
    }
    ::close(in);
    content.resize(held);
    return content;
}

result<file_state> look_at(const parent_directory& in_it, const std::string& path) {
    file_state match;
    if (::fstatat(in_it.get(), in_it.name(), &match.how, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return match;
        return cannot("look at", path);
    }
    match.there = true;
    if (S_ISLNK(match.how.st_mode)) {
        std::array<char, PATH_MAX> target{};
        const auto size = ::readlinkat(in_it.get(), in_it.name(), target.data(), target.size());
        if (size < 0) return cannot("read", path);
        match.target.assign(target.data(), static_cast<std::size_t>(size));
    }
    const auto size = static_cast<std::size_t>(match.how.st_size);
    if (S_ISREG(match.how.st_mode) && size <= file_order_limits::compared_bytes_max) {
        TRY(match.content, read_file(in_it, path, size));
    }
    return match;
}

// Whose it shall be; nothing: as it is.
struct wanted_owner {
    std::optional<::uid_t> user;
    std::optional<::gid_t> group;
};

result<wanted_owner> owner_of(const desired_file& desired_file) {
    wanted_owner result;
    if (desired_file.owner.empty() && desired_file.group.empty()) return result;
    TRY(const auto account, find_account(desired_file.owner, desired_file.group));
    if (!desired_file.owner.empty()) result.user = account.user;
    if (!desired_file.group.empty()) result.group = account.group;
    return result;
}

bool is_of(const file_state& now, kind desired) {
    switch (desired) {
        case kind::file:
            return S_ISREG(now.how.st_mode);
        case kind::directory:
            return S_ISDIR(now.how.st_mode);
        case kind::symlink:
            return S_ISLNK(now.how.st_mode);
    }
    return false;
}

// What differs, by name; empty: nothing does.
std::vector<std::string> differences(
    const desired_file& desired_file, const file_state& now, const wanted_owner& whose) {
    if (!now.there) return {"missing"};
    if (!is_of(now, desired_file.what)) return {"type"};
    std::vector<std::string> result;
    if (desired_file.what == kind::file && now.content != desired_file.content)
        result.emplace_back("contents");
    if (desired_file.what == kind::symlink && now.target != desired_file.target)
        result.emplace_back("target");
    const bool has_mode = desired_file.what != kind::symlink;
    if (has_mode && desired_file.mode && (now.how.st_mode & permission_bits) != *desired_file.mode)
        result.emplace_back("mode");
    if (whose.user && *whose.user != now.how.st_uid) result.emplace_back("owner");
    if (whose.group && *whose.group != now.how.st_gid) result.emplace_back("group");
    return result;
}

result<void> write_all(int out, std::string_view content, const std::string& path) {
    while (!content.empty()) {
        const auto size = ::write(out, content.data(), content.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return cannot("write", path);
        content.remove_prefix(static_cast<std::size_t>(size));
    }
    return {};
}

// -1 is "as it is" for the system.
::uid_t user_or_same(const wanted_owner& whose) {
    return whose.user.value_or(static_cast<::uid_t>(-1));
}
::gid_t group_or_same(const wanted_owner& whose) {
    return whose.group.value_or(static_cast<::gid_t>(-1));
}

result<void> fill(
    int out, const desired_file& desired_file, const file_state& now, const wanted_owner& whose) {
    CHECK_OK(write_all(out, desired_file.content, desired_file.path));
    auto keep = whose;
    auto mode = desired_file.mode.value_or(usual_file_mode);
    if (now.there && S_ISREG(now.how.st_mode)) {
        if (!keep.user) keep.user = now.how.st_uid;
        if (!keep.group) keep.group = now.how.st_gid;
        if (!desired_file.mode) mode = now.how.st_mode & permission_bits;
    }
    // The owner first: changing it takes bits of the mode away.
    if (::fchown(out, user_or_same(keep), group_or_same(keep)) != 0)
        return cannot("give away", desired_file.path);
    if (::fchmod(out, mode) != 0) return cannot("set the mode of", desired_file.path);
    if (::fsync(out) != 0) return cannot("write", desired_file.path);
    return {};
}

// A name that nobody can foresee.
std::string fresh_name() {
    constexpr std::size_t random_part = 8;
    return ".muster-" + to_hex(os::random_bytes(random_part));
}

result<void> put_in_place(
    const parent_directory& in_it, const std::string& result, const std::string& path) {
    if (::renameat(in_it.get(), result.c_str(), in_it.get(), in_it.name()) != 0)
        return cannot("put", path);
    return {};
}

result<void> write_file(
    const parent_directory& in_it,
    const desired_file& desired_file,
    const file_state& now,
    const wanted_owner& whose) {
    if (now.there && S_ISDIR(now.how.st_mode))
        return fail(errc::conflict, fmt::format("{} is a directory", desired_file.path));
    const auto result = fresh_name();
    constexpr int only_new = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int out = ::openat(in_it.get(), result.c_str(), only_new, S_IRUSR | S_IWUSR);
    if (out < 0) return cannot("write beside", desired_file.path);
    auto done = fill(out, desired_file, now, whose);
    if (::close(out) != 0 && done) done = cannot("write", desired_file.path);
    if (done) done = put_in_place(in_it, result, desired_file.path);
    if (!done) ::unlinkat(in_it.get(), result.c_str(), 0);
    if (done) in_it.flush();
    return done;
}

// What has this name is changed only if it is a link still.
result<void> own_link(
    const parent_directory& in_it,
    const std::string& result,
    const wanted_owner& whose,
    const std::string& path) {
    const int link = ::openat(in_it.get(), result.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (link < 0) return cannot("give away", path);
    struct ::stat stat = {};
    const bool owned =
        ::fstat(link, &stat) == 0 && S_ISLNK(stat.st_mode)
        && ::fchownat(link, "", user_or_same(whose), group_or_same(whose), AT_EMPTY_PATH) == 0;
    auto failed = cannot("give away", path);
    ::close(link);
    if (!owned) return failed;
    return {};
}

result<void> write_link(
    const parent_directory& in_it,
    const desired_file& desired_file,
    const file_state& now,
    const wanted_owner& whose) {
    if (now.there && S_ISDIR(now.how.st_mode))
        return fail(errc::conflict, fmt::format("{} is a directory", desired_file.path));
    const auto result = fresh_name();
    if (::symlinkat(desired_file.target.c_str(), in_it.get(), result.c_str()) != 0)
        return cannot("link", desired_file.path);
    auto done = own_link(in_it, result, whose, desired_file.path);
    if (done) done = put_in_place(in_it, result, desired_file.path);
    if (!done) ::unlinkat(in_it.get(), result.c_str(), 0);
    if (done) in_it.flush();
    return done;
}

result<void> write_directory(
    const parent_directory& in_it,
    const desired_file& desired_file,
    const file_state& now,
    const wanted_owner& whose) {
    if (now.there && !S_ISDIR(now.how.st_mode))
        return fail(errc::conflict, fmt::format("{} is there and no directory", desired_file.path));
    if (!now.there && ::mkdirat(in_it.get(), in_it.name(), usual_directory_mode) != 0)
        return cannot("make", desired_file.path);
    const int open =
        ::openat(in_it.get(), in_it.name(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (open < 0) return cannot("open", desired_file.path);
    const bool owned = ::fchown(open, user_or_same(whose), group_or_same(whose)) == 0;
    const bool well = owned && (!desired_file.mode || ::fchmod(open, *desired_file.mode) == 0);
    auto failed = cannot("change", desired_file.path);
    ::close(open);
    if (!well) return failed;
    return {};
}

result<void> write(
    const parent_directory& in_it,
    const desired_file& desired_file,
    const file_state& now,
    const wanted_owner& whose) {
    switch (desired_file.what) {
        case kind::file:
            return write_file(in_it, desired_file, now, whose);
        case kind::directory:
            return write_directory(in_it, desired_file, now, whose);
        case kind::symlink:
            return write_link(in_it, desired_file, now, whose);
    }
    return {};
}

// Of what not everybody on the machine may read nothing is told.
std::string difference_of(const desired_file& desired_file, const file_state& now) {
    if (desired_file.what != kind::file || (now.there && !now.content)) return {};
    const bool was_open = !now.there || (now.how.st_mode & S_IROTH) != 0;
    const bool is_open = !desired_file.mode || (*desired_file.mode & S_IROTH) != 0;
    if (!was_open || !is_open) return {};
    return line_difference(
        now.content.value_or(std::string()),
        desired_file.content,
        file_order_limits::diff_bytes_max);
}

struct attempt {
    std::vector<std::string> changes;
    std::string diff;
};

result<attempt> place(const desired_file& desired_file, bool test) {
    using missing = parent_directory::missing;
    TRY(const auto whose, owner_of(desired_file));
    const auto in_it =
        parent_directory::open(desired_file.path, test ? missing::tell : missing::make);
    const bool nowhere = test && !in_it && in_it.error().code() == errc::not_found;
    if (!in_it && !nowhere) return fail(in_it.error());
    file_state now;
    if (!nowhere) {
        TRY(now, look_at(*in_it, desired_file.path));
    }
    attempt result{.changes = differences(desired_file, now, whose), .diff = {}};
    if (result.changes.empty()) return result;
    if (test) {
        result.diff = difference_of(desired_file, now);
    } else {
        CHECK_OK(write(*in_it, desired_file, now, whose));
    }
    return result;
}

json::object told(const desired_file& desired_file, const result<attempt>& came_to, bool test) {
    json::object result{{"path", as_utf8(desired_file.path).text}};
    if (!came_to) {
        result["result"] = "failed";
        result["reason"] = as_utf8(came_to.error().detail()).text;
        return result;
    }
    const bool same = came_to->changes.empty();
    result["result"] = same ? "same" : test ? "differs" : "written";
    if (same) return result;
    json::array changes;
    for (const auto& change : came_to->changes) changes.emplace_back(change);
    result["changes"] = std::move(changes);
    return result;
}

}  // namespace

file_outcome deploy(const deployment_request& order) {
    file_outcome all;
    json::array files;
    std::size_t diff_bytes = 0;
    for (const auto& file : order.files) {
        const auto came_to = place(file, order.test);
        auto one = told(file, came_to, order.test);
        if (!came_to) {
            ++all.failed;
            if (all.reason.empty()) all.reason = as_utf8(came_to.error().detail()).text;
        } else if (!came_to->changes.empty()) {
            ++all.changed;
            diff_bytes += came_to->diff.size();
            const bool room = diff_bytes <= file_order_limits::payload_bytes_max;
            if (!came_to->diff.empty() && room) one["diff"] = came_to->diff;
        }
        files.push_back(std::move(one));
    }
    all.payload = json::serialize(json::object{
        {"files", std::move(files)},
        {"changed", static_cast<std::int64_t>(all.changed)},
        {"failed", static_cast<std::int64_t>(all.failed)}});
    return all;
}

}  // namespace muster::agent
