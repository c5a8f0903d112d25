#include "apps/agent/tasks/parent_directory.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace muster::agent {
namespace {

constexpr int links_max = 40;
constexpr int directory_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr ::mode_t default_mode = 0755;

using path_parts = std::deque<std::string>;

path_parts split(std::string_view path) {
    path_parts result;
    while (!path.empty()) {
        const auto end = path.find('/');
        const auto part = path.substr(0, end);
        if (!part.empty() && part != ".") result.emplace_back(part);
        path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    }
    return result;
}

std::unexpected<error> cannot(const std::string& path) {
    const auto code = errno == ENOENT || errno == ENOTDIR ? errc::not_found : errc::unavailable;
    const auto reason = std::generic_category().message(errno);
    return fail(code, fmt::format("cannot open the parent directory of {}: {}", path, reason));
}

// True if only root or the current user can create links in the directory.
bool is_trusted(int directory) {
    struct ::stat stat = {};
    if (::fstat(directory, &stat) != 0) return false;
    const bool owner_trusted = stat.st_uid == 0 || stat.st_uid == ::geteuid();
    return owner_trusted && (stat.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The target of a link; empty if it is none.
std::string read_link(int directory, const std::string& name) {
    std::array<char, PATH_MAX> target{};
    const auto size = ::readlinkat(directory, name.c_str(), target.data(), target.size());
    return size <= 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(size));
}

int open_child(int directory, const std::string& name, parent_directory::if_missing mode) {
    const int child = ::openat(directory, name.c_str(), directory_flags);
    if (child >= 0 || errno != ENOENT || mode == parent_directory::if_missing::report) return child;
    if (::mkdirat(directory, name.c_str(), default_mode) != 0 && errno != EEXIST) return -1;
    return ::openat(directory, name.c_str(), directory_flags);
}

}  // namespace

parent_directory::~parent_directory() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

result<parent_directory> parent_directory::open(const std::string& path, if_missing mode) {
    auto parts = split(path);
    if (parts.empty()) return fail(errc::invalid, "empty path");
    parent_directory parent(::open("/", directory_flags), parts.back());
    parts.pop_back();
    if (parent.descriptor_ < 0) return cannot(path);
    for (int links = 0; !parts.empty();) {
        const auto part = std::move(parts.front());
        parts.pop_front();
        const int child = open_child(parent.descriptor_, part, mode);
        if (child >= 0) {
            ::close(std::exchange(parent.descriptor_, child));
            continue;
        }
        const int error_number = errno;
        const auto target = read_link(parent.descriptor_, part);
        if (target.empty() || ++links > links_max) {
            errno = target.empty() ? error_number : ELOOP;
            return cannot(path);
        }
        if (!is_trusted(parent.descriptor_))
            return fail(
                errc::denied,
                fmt::format(
                    "{} contains the link {} in a directory that users other than root can change",
                    path,
                    part));
        const auto target_parts = split(target);
        parts.insert(parts.begin(), target_parts.begin(), target_parts.end());
        if (!target.starts_with('/')) continue;
        const int root = ::open("/", directory_flags);
        if (root < 0) return cannot(path);
        ::close(std::exchange(parent.descriptor_, root));
    }
    return parent;
}

void parent_directory::flush() const {
    const int readable = ::openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (readable < 0) return;  // the contents are on disk; the name follows later
    static_cast<void>(::fsync(readable));
    ::close(readable);
}

}  // namespace muster::agent
