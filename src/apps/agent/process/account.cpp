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

account account_of(const passwd& passwd) {
    return {
        .user = passwd.pw_uid,
        .group = passwd.pw_gid,
        .groups = {},
        .name = passwd.pw_name,
        .home = passwd.pw_dir,
        .shell = passwd.pw_shell};
}

// Our own user may be unknown to the files, in an empty root directory for instance.
account own_account() {
    std::vector<char> room(entry_bytes_max);
    passwd entry{};
    passwd* match = nullptr;
    ::getpwuid_r(::geteuid(), &entry, room.data(), room.size(), &match);
    if (match != nullptr) return account_of(*match);
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
    passwd* match = nullptr;
    ::getpwnam_r(user.c_str(), &entry, room.data(), room.size(), &match);
    if (match == nullptr)
        return fail(errc::invalid, fmt::format("user: there is no user {}", user));
    return account_of(*match);
}

result<gid_t> named_group(const std::string& name) {
    std::vector<char> room(entry_bytes_max);
    group entry{};
    group* match = nullptr;
    ::getgrnam_r(name.c_str(), &entry, room.data(), room.size(), &match);
    if (match == nullptr)
        return fail(errc::invalid, fmt::format("group: there is no group {}", name));
    return match->gr_gid;
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
    account match = own_account();
    if (!user.empty()) {
        TRY(match, named_account(user));
    }
    if (!group.empty()) {
        TRY(match.group, named_group(group));
    }
    const bool changes = match.user != ::geteuid() || match.group != ::getegid();
    if (changes && ::geteuid() != 0)
        return fail(errc::denied, "user: only an agent that runs as root can run as others");
    match.groups = groups_of(match);
    return match;
}

}  // namespace muster::agent
