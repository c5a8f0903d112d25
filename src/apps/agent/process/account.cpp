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

account to_account(const passwd& passwd) {
    return {
        .user = passwd.pw_uid,
        .group = passwd.pw_gid,
        .groups = {},
        .name = passwd.pw_name,
        .home = passwd.pw_dir,
        .shell = passwd.pw_shell};
}

// The agent's user may be missing in the files, for instance in an empty root directory.
account own_account() {
    std::vector<char> buffer(entry_bytes_max);
    passwd entry{};
    passwd* found_entry = nullptr;
    ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found_entry);
    if (found_entry != nullptr) return to_account(*found_entry);
    return {
        .user = ::geteuid(),
        .group = ::getegid(),
        .groups = {},
        .name = std::to_string(::geteuid()),
        .home = "/",
        .shell = "/bin/sh"};
}

result<account> find_user(const std::string& user) {
    std::vector<char> buffer(entry_bytes_max);
    passwd entry{};
    passwd* found_entry = nullptr;
    ::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found_entry);
    if (found_entry == nullptr)
        return fail(errc::invalid, fmt::format("user: user \"{}\" not found", user));
    return to_account(*found_entry);
}

result<gid_t> find_group(const std::string& name) {
    std::vector<char> buffer(entry_bytes_max);
    group entry{};
    group* found_entry = nullptr;
    ::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found_entry);
    if (found_entry == nullptr)
        return fail(errc::invalid, fmt::format("group: group \"{}\" not found", name));
    return found_entry->gr_gid;
}

std::vector<gid_t> read_groups(const agent::account& account) {
    std::array<gid_t, groups_max> groups{};
    int count = groups_max;
    if (::getgrouplist(account.name.c_str(), account.group, groups.data(), &count) < 0)
        return {account.group};
    return {groups.begin(), groups.begin() + count};
}

}  // namespace

result<account> find_account(const std::string& user, const std::string& group) {
    agent::account account = own_account();
    if (!user.empty()) {
        TRY(account, find_user(user));
    }
    if (!group.empty()) {
        TRY(account.group, find_group(group));
    }
    const bool differs = account.user != ::geteuid() || account.group != ::getegid();
    if (differs && ::geteuid() != 0)
        return fail(errc::denied, "user: switching users requires an agent that runs as root");
    account.groups = read_groups(account);
    return account;
}

}  // namespace muster::agent
