#include "services/people/role_service.h"

#include "core/access/account_rules.h"
#include "services/people/keys.h"
#include "services/people/people_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::people {
namespace {

using access::right;

constexpr int attempts_max = 8;  // on concurrent changes of the role

std::unexpected<error> changed_meanwhile(const std::string& name) {
    return fail(
        errc::unavailable, fmt::format("role \"{}\" was modified concurrently; retry", name));
}

result<void> check_not_built_in(const std::string& name) {
    if (access::built_in_roles().contains(name))
        return fail(
            errc::conflict, fmt::format("role \"{}\" is built in and cannot be changed", name));
    return {};
}

result<void> check_may_grant(const identity& actor, const access::rights& rights) {
    if (!actor.may.everywhere(right::people_change))
        return fail(
            errc::denied, "right people.change in the whole cluster required to manage roles");
    for (const auto granted : rights) {
        if (!actor.may.everywhere(granted))
            return fail(
                errc::denied,
                fmt::format(
                    "role contains the right {}, which you do not have in the whole cluster",
                    to_string(granted)));
    }
    return {};
}

bool has_role(const std::vector<access::grant>& grants, const std::string& role) {
    return std::ranges::find(grants, role, &access::grant::role) != grants.end();
}

}  // namespace

async<role_record> role_service::add(identity actor, role_record role) {
    CO_CHECK_OK(access::check_role_name(role.name));
    CO_CHECK_OK(check_not_built_in(role.name));
    CO_CHECK_OK(access::check_account_text("`about`", role.about));
    CO_CHECK_OK(check_may_grant(actor, role.rights));
    if (people_.read()->roles->size() >= limits::roles_max)
        co_return fail(errc::conflict, fmt::format("limit of {} roles reached", limits::roles_max));
    const auto key = keys::role(role.name);
    kv::transaction change;
    change.when.emplace_back(kv::absent{key});
    change.then.emplace_back(kv::put{.key = key, .value = encode(role)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed)
        co_return fail(errc::conflict, fmt::format("role \"{}\" already exists", role.name));
    co_return role;
}

async<role_service::found_role> role_service::find(std::string name) {
    CO_CHECK_OK(check_not_built_in(name));
    CO_TRY(auto stored, co_await metastore_.get(keys::role(name)));
    if (!stored.found) co_return fail(errc::not_found, fmt::format("role \"{}\" not found", name));
    CO_TRY(auto record, decode_role(stored.found->value));
    co_return found_role{.record = std::move(record), .entry = *std::move(stored.found)};
}

async<role_record> role_service::change(identity actor, std::string name, changes changes) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(auto updated, co_await try_change(actor, name, changes));
        if (updated) co_return *std::move(updated);
        // A complete set of rights depends on what the caller saw, so it is not retried.
        if (changes.rights) break;
    }
    co_return changed_meanwhile(name);
}

async<std::optional<role_record>> role_service::try_change(
    identity actor, std::string name, changes changes) {
    CO_TRY(const auto before, co_await find(name));
    auto updated = before.record;
    if (changes.rights) updated.rights = *std::move(changes.rights);
    if (changes.about) updated.about = *std::move(changes.about);
    updated.rights.insert(changes.added.begin(), changes.added.end());
    for (const auto right : changes.removed) updated.rights.erase(right);
    CO_CHECK_OK(access::check_account_text("`about`", updated.about));
    CO_CHECK_OK(check_may_grant(actor, before.record.rights));
    CO_CHECK_OK(check_may_grant(actor, updated.rights));
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{before.entry.key, before.entry.modified});
    change.then.emplace_back(kv::put{.key = before.entry.key, .value = encode(updated)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed) co_return std::optional<role_record>();
    co_return std::optional(std::move(updated));
}

async<void> role_service::check_unused(std::string name) {
    kv::range_request request{.prefix = std::string(keys::users)};
    while (true) {
        CO_TRY(const auto page, co_await metastore_.range(request));
        for (const auto& entry : page.entries) {
            CO_TRY(const auto user, decode_user(entry.value));
            if (has_role(user.grants, name))
                co_return fail(
                    errc::conflict,
                    fmt::format("role \"{}\" is granted to user \"{}\"", name, user.name));
        }
        if (!page.more || page.entries.empty()) break;
        request.after = page.entries.back().key;
    }
    for (const auto& [digest, token] : *people_.read()->tokens) {
        if (has_role(token.record.grants, name))
            co_return fail(
                errc::conflict,
                fmt::format(
                    "role \"{}\" is used by a token of user \"{}\"", name, token.record.user));
    }
    co_return result<void>();
}

// Every change that grants the role also writes its record, so nobody gets it between the check and
// the removal.
async<void> role_service::remove(identity actor, std::string name) {
    CO_TRY(const auto before, co_await find(name));
    CO_CHECK_OK(check_may_grant(actor, before.record.rights));
    CO_CHECK_OK(co_await check_unused(name));
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{before.entry.key, before.entry.modified});
    change.then.emplace_back(kv::erase{before.entry.key});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed) co_return changed_meanwhile(name);
    co_return result<void>();
}

}  // namespace muster::people
