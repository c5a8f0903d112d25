#include "apps/agent/process/account.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace muster::agent {
namespace {

constexpr std::size_t entry_bytes_max = std::size_t{64} * 1024;
constexpr int groups_max = 256;

account account_of(const passwd& found) {
    return {
        .user = found.pw_uid,
        .group = found.pw_gid,
        .groups = {},
        .name = found.pw_name,
        .home = found.pw_dir,
        .shell = found.pw_shell};
}

// Our own user may be unknown to the files, in an empty root directory for instance.
account own_account() {
    std::vector<char> room(entry_bytes_max);
    passwd entry{};
    passwd* found = nullptr;
    ::getpwuid_r(::geteuid(), &entry, room.data(), room.size(), &found);
    if (found != nullptr) return account_of(*found);
    return {
        .user = ::geteuid(),
        .group = ::getegid(),
        .groups = {},
        .name = std::to_string(::geteuid()),
        .home = "/",
        .shell = "/bin/sh"};
}

result<account> named_account(const std::string& user) {
    std::vector<char> room(entry_bytes_max);
    passwd entry{};
    passwd* found = nullptr;
    ::getpwnam_r(user.c_str(), &entry, room.data(), room.size(), &found);
    if (found == nullptr)
        return fail(errc::invalid, fmt::format("user: there is no user {}", user));
    return account_of(*found);
}

result<gid_t> named_group(const std::string& name) {
    std::vector<char> room(entry_bytes_max);
    group entry{};
    group* found = nullptr;
    ::getgrnam_r(name.c_str(), &entry, room.data(), room.size(), &found);
    if (found == nullptr)
        return fail(errc::invalid, fmt::format("group: there is no group {}", name));
    return found->gr_gid;
}

std::vector<gid_t> groups_of(const account& whose) {
    std::array<gid_t, groups_max> all{};
    int count = groups_max;
    if (::getgrouplist(whose.name.c_str(), whose.group, all.data(), &count) < 0)
        return {whose.group};
    return {all.begin(), all.begin() + count};
}

}  // namespace

result<account> find_account(const std::string& user, const std::string& group) {
    account found = own_account();
    if (!user.empty()) {
        TRY(found, named_account(user));
    }
    if (!group.empty()) {
        TRY(found.group, named_group(group));
    }
    const bool changes = found.user != ::geteuid() || found.group != ::getegid();
    if (changes && ::geteuid() != 0)
        return fail(errc::denied, "user: only an agent that runs as root can run as others");
    found.groups = groups_of(found);
    return found;
}

}  // namespace muster::agent
