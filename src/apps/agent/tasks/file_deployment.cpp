#include "apps/agent/tasks/file_deployment.h"

#include "apps/agent/process/account.h"
#include "apps/agent/tasks/captured_output.h"
#include "apps/agent/tasks/line_difference.h"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::agent {
namespace {

namespace json = boost::json;
using kind = wanted_file::kind;

constexpr ::mode_t usual_file_mode = 0644;
constexpr ::mode_t usual_directory_mode = 0755;
constexpr ::mode_t permission_bits = 07777;

std::unexpected<error> cannot(std::string_view what, const std::string& path) {
    const auto why = std::generic_category().message(errno);
    return fail(errc::unavailable, fmt::format("cannot {} {}: {}", what, path, why));
}

// What stands at a path now.
struct standing {
    bool there = false;
    struct ::stat how = {};
    std::string target;                  // of a link
    std::optional<std::string> content;  // of a file that is not too large to be compared
};

result<std::string> read_file(const std::string& path, std::size_t size) {
    const int in = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
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

result<standing> look_at(const std::string& path) {
    standing found;
    if (::lstat(path.c_str(), &found.how) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return found;
        return cannot("look at", path);
    }
    found.there = true;
    if (S_ISLNK(found.how.st_mode)) {
        std::array<char, PATH_MAX> target{};
        const auto size = ::readlink(path.c_str(), target.data(), target.size());
        if (size < 0) return cannot("read", path);
        found.target.assign(target.data(), static_cast<std::size_t>(size));
    }
    const auto size = static_cast<std::size_t>(found.how.st_size);
    if (S_ISREG(found.how.st_mode) && size <= file_order_limits::compared_bytes_max) {
        TRY(found.content, read_file(path, size));
    }
    return found;
}

// Whose it shall be; nothing: as it is.
struct wanted_owner {
    std::optional<::uid_t> user;
    std::optional<::gid_t> group;
};

result<wanted_owner> owner_of(const wanted_file& wanted) {
    wanted_owner made;
    if (wanted.owner.empty() && wanted.group.empty()) return made;
    TRY(const auto found, find_account(wanted.owner, wanted.group));
    if (!wanted.owner.empty()) made.user = found.user;
    if (!wanted.group.empty()) made.group = found.group;
    return made;
}

bool is_of(const standing& now, kind wanted) {
    switch (wanted) {
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
    const wanted_file& wanted, const standing& now, const wanted_owner& whose) {
    if (!now.there) return {"missing"};
    if (!is_of(now, wanted.what)) return {"type"};
    std::vector<std::string> made;
    if (wanted.what == kind::file && now.content != wanted.content) made.emplace_back("contents");
    if (wanted.what == kind::symlink && now.target != wanted.target) made.emplace_back("target");
    const bool has_mode = wanted.what != kind::symlink;
    if (has_mode && wanted.mode && (now.how.st_mode & permission_bits) != *wanted.mode)
        made.emplace_back("mode");
    if (whose.user && *whose.user != now.how.st_uid) made.emplace_back("owner");
    if (whose.group && *whose.group != now.how.st_gid) made.emplace_back("group");
    return made;
}

result<void> make_parents(const std::string& path) {
    const auto parent = std::filesystem::path(path).parent_path();
    std::error_code failure;
    std::filesystem::create_directories(parent, failure);
    if (!failure) return {};
    return fail(
        errc::unavailable,
        fmt::format("cannot make the directory {}: {}", parent.string(), failure.message()));
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
    int out, const wanted_file& wanted, const standing& now, const wanted_owner& whose) {
    CHECK_OK(write_all(out, wanted.content, wanted.path));
    auto keep = whose;
    auto mode = wanted.mode.value_or(usual_file_mode);
    if (now.there && S_ISREG(now.how.st_mode)) {
        if (!keep.user) keep.user = now.how.st_uid;
        if (!keep.group) keep.group = now.how.st_gid;
        if (!wanted.mode) mode = now.how.st_mode & permission_bits;
    }
    // The owner first: changing it takes bits of the mode away.
    if (::fchown(out, user_or_same(keep), group_or_same(keep)) != 0)
        return cannot("give away", wanted.path);
    if (::fchmod(out, mode) != 0) return cannot("set the mode of", wanted.path);
    if (::fsync(out) != 0) return cannot("write", wanted.path);
    return {};
}

void flush_directory(const std::string& path) {
    const auto parent = std::filesystem::path(path).parent_path();
    const int open = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (open < 0) return;  // the file itself is on disk; the name comes later
    static_cast<void>(::fsync(open));
    ::close(open);
}

std::string beside(const std::string& path) {
    return (std::filesystem::path(path).parent_path() / ".muster-XXXXXX").string();
}

result<void> write_file(const wanted_file& wanted, const standing& now, const wanted_owner& whose) {
    if (now.there && S_ISDIR(now.how.st_mode))
        return fail(errc::conflict, fmt::format("{} is a directory", wanted.path));
    auto made = beside(wanted.path);
    const int out = ::mkostemp(made.data(), O_CLOEXEC);
    if (out < 0) return cannot("write beside", wanted.path);
    auto done = fill(out, wanted, now, whose);
    if (::close(out) != 0 && done) done = cannot("write", wanted.path);
    if (done && ::rename(made.c_str(), wanted.path.c_str()) != 0) done = cannot("put", wanted.path);
    if (!done) ::unlink(made.c_str());
    if (done) flush_directory(wanted.path);
    return done;
}

result<void> write_link(const wanted_file& wanted, const standing& now, const wanted_owner& whose) {
    if (now.there && S_ISDIR(now.how.st_mode))
        return fail(errc::conflict, fmt::format("{} is a directory", wanted.path));
    auto made = beside(wanted.path);
    // A name that nobody has: the file that holds it is replaced by the link.
    const int held = ::mkostemp(made.data(), O_CLOEXEC);
    if (held < 0) return cannot("write beside", wanted.path);
    ::close(held);
    ::unlink(made.c_str());
    if (::symlink(wanted.target.c_str(), made.c_str()) != 0) return cannot("link", wanted.path);
    const bool owned = ::lchown(made.c_str(), user_or_same(whose), group_or_same(whose)) == 0;
    if (owned && ::rename(made.c_str(), wanted.path.c_str()) == 0) {
        flush_directory(wanted.path);
        return {};
    }
    auto failed = cannot("put", wanted.path);
    ::unlink(made.c_str());
    return failed;
}

result<void> write_directory(
    const wanted_file& wanted, const standing& now, const wanted_owner& whose) {
    if (now.there && !S_ISDIR(now.how.st_mode))
        return fail(errc::conflict, fmt::format("{} is there and no directory", wanted.path));
    if (!now.there && ::mkdir(wanted.path.c_str(), usual_directory_mode) != 0)
        return cannot("make", wanted.path);
    const int open = ::open(wanted.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (open < 0) return cannot("open", wanted.path);
    const bool owned = ::fchown(open, user_or_same(whose), group_or_same(whose)) == 0;
    const bool well = owned && (!wanted.mode || ::fchmod(open, *wanted.mode) == 0);
    auto failed = cannot("change", wanted.path);
    ::close(open);
    if (!well) return failed;
    return {};
}

result<void> write(const wanted_file& wanted, const standing& now, const wanted_owner& whose) {
    CHECK_OK(make_parents(wanted.path));
    switch (wanted.what) {
        case kind::file:
            return write_file(wanted, now, whose);
        case kind::directory:
            return write_directory(wanted, now, whose);
        case kind::symlink:
            return write_link(wanted, now, whose);
    }
    return {};
}

std::string difference_of(const wanted_file& wanted, const standing& now) {
    if (wanted.what != kind::file || (now.there && !now.content)) return {};
    return line_difference(
        now.content.value_or(std::string()), wanted.content, file_order_limits::diff_bytes_max);
}

struct attempt {
    std::vector<std::string> changes;
    std::string diff;
};

result<attempt> place(const wanted_file& wanted, bool test) {
    TRY(const auto whose, owner_of(wanted));
    TRY(const auto now, look_at(wanted.path));
    attempt made{.changes = differences(wanted, now, whose), .diff = {}};
    if (made.changes.empty()) return made;
    made.diff = difference_of(wanted, now);
    if (!test) {
        CHECK_OK(write(wanted, now, whose));
    }
    return made;
}

json::object told(const wanted_file& wanted, const result<attempt>& came_to, bool test) {
    json::object made{{"path", as_utf8(wanted.path).text}};
    if (!came_to) {
        made["result"] = "failed";
        made["reason"] = as_utf8(came_to.error().detail()).text;
        return made;
    }
    const bool same = came_to->changes.empty();
    made["result"] = same ? "same" : test ? "differs" : "written";
    if (same) return made;
    json::array changes;
    for (const auto& each : came_to->changes) changes.emplace_back(each);
    made["changes"] = std::move(changes);
    return made;
}

}  // namespace

file_outcome deploy(const file_order& order) {
    file_outcome all;
    json::array files;
    std::size_t diff_bytes = 0;
    for (const auto& each : order.files) {
        const auto came_to = place(each, order.test);
        auto one = told(each, came_to, order.test);
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
