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
constexpr int only_directory = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr ::mode_t usual_mode = 0755;

using words = std::deque<std::string>;

words split(std::string_view path) {
    words result;
    while (!path.empty()) {
        const auto end = path.find('/');
        const auto word = path.substr(0, end);
        if (!word.empty() && word != ".") result.emplace_back(word);
        path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    }
    return result;
}

std::unexpected<error> cannot(const std::string& path) {
    const auto code = errno == ENOENT || errno == ENOTDIR ? errc::not_found : errc::unavailable;
    const auto why = std::generic_category().message(errno);
    return fail(code, fmt::format("cannot reach the directory of {}: {}", path, why));
}

// Whether only root, or whoever this runs as, can put links there.
bool is_trusted(int directory) {
    struct ::stat stat = {};
    if (::fstat(directory, &stat) != 0) return false;
    const bool ours = stat.st_uid == 0 || stat.st_uid == ::geteuid();
    return ours && (stat.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Where a link leads; empty: it is none.
std::string target_of(int directory, const std::string& name) {
    std::array<char, PATH_MAX> target{};
    const auto size = ::readlinkat(directory, name.c_str(), target.data(), target.size());
    return size <= 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(size));
}

int enter(int from, const std::string& name, parent_directory::missing missing) {
    const int match = ::openat(from, name.c_str(), only_directory);
    if (match >= 0 || errno != ENOENT || missing == parent_directory::missing::tell) return match;
    if (::mkdirat(from, name.c_str(), usual_mode) != 0 && errno != EEXIST) return -1;
    return ::openat(from, name.c_str(), only_directory);
}

}  // namespace

parent_directory::~parent_directory() {
    if (held_ >= 0) ::close(held_);
}

result<parent_directory> parent_directory::open(const std::string& path, missing missing) {
    auto left = split(path);
    if (left.empty()) return fail(errc::invalid, "a path is empty");
    parent_directory at(::open("/", only_directory), left.back());
    left.pop_back();
    if (at.held_ < 0) return cannot(path);
    for (int links = 0; !left.empty();) {
        const auto word = std::move(left.front());
        left.pop_front();
        const int next = enter(at.held_, word, missing);
        if (next >= 0) {
            ::close(std::exchange(at.held_, next));
            continue;
        }
        const int why = errno;
        const auto target = target_of(at.held_, word);
        if (target.empty() || ++links > links_max) {
            errno = target.empty() ? why : ELOOP;
            return cannot(path);
        }
        if (!is_trusted(at.held_))
            return fail(
                errc::denied,
                fmt::format(
                    "{} leads through the link {} in a directory that others than root may change",
                    path,
                    word));
        const auto ahead = split(target);
        left.insert(left.begin(), ahead.begin(), ahead.end());
        if (!target.starts_with('/')) continue;
        const int root = ::open("/", only_directory);
        if (root < 0) return cannot(path);
        ::close(std::exchange(at.held_, root));
    }
    return at;
}

void parent_directory::flush() const {
    const int open = ::openat(held_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (open < 0) return;  // what is in it is on disk; its name comes later
    static_cast<void>(::fsync(open));
    ::close(open);
}

}  // namespace muster::agent
