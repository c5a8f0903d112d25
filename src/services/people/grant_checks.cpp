#include "services/people/grant_checks.h"

#include "services/people/keys.h"
#include "services/people/people_follower.h"
#include "services/people/record.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace muster::people {
namespace {

using access::right;

bool has(const identity& identity, const std::string& zone, right right) {
    return zone.empty() ? identity.may.everywhere(right)
                        : identity.may.in(zone, right, *identity.zones);
}

std::string describe_zone(const std::string& zone) {
    return zone.empty() ? std::string("in the whole cluster") : "in zone \"" + zone + "\"";
}

}  // namespace

async<granted_roles> read_granted_roles(
    muster::metastore& metastore, std::vector<access::grant> grants) {
    granted_roles roles;
    std::set<std::string> names;
    for (const auto& grant : grants) {
        if (!access::built_in_roles().contains(grant.role)) names.insert(grant.role);
    }
    for (const auto& name : names) {
        CO_TRY(auto stored, co_await metastore.get(keys::role(name)));
        if (!stored.found) continue;
        CO_TRY(const auto role, decode_role(stored.found->value));
        roles.role_rights.emplace(name, role.rights);
        roles.entries.emplace(name, *std::move(stored.found));
    }
    co_return roles;
}

result<void> check_grants(
    const std::vector<access::grant>& grants,
    const access::roles& role_rights,
    const access::zone_parents& zones) {
    if (grants.size() > limits::grants_max)
        return fail(
            errc::invalid,
            fmt::format("user or token has more than {} grants", limits::grants_max));
    std::set<access::grant> unique_grants;
    for (const auto& grant : grants) {
        if (!role_rights.contains(grant.role))
            return fail(errc::not_found, fmt::format("role \"{}\" not found", grant.role));
        if (!grant.zone.empty() && !zones.contains(grant.zone))
            return fail(errc::not_found, fmt::format("zone \"{}\" not found", grant.zone));
        if (!unique_grants.insert(grant).second)
            return fail(
                errc::invalid,
                fmt::format(
                    "role \"{}\" {} is granted twice", grant.role, describe_zone(grant.zone)));
    }
    return {};
}

result<void> check_may_manage(
    const identity& actor,
    const std::vector<access::grant>& grants,
    const access::roles& role_rights) {
    if (!actor.may.anywhere(right::people_change))
        return fail(errc::denied, "right people.change required");
    for (const auto& grant : grants) {
        if (!has(actor, grant.zone, right::people_change))
            return fail(
                errc::denied,
                fmt::format("right people.change required {}", describe_zone(grant.zone)));
        if (!actor.may.covers(access::permissions({grant}, role_rights), *actor.zones))
            return fail(
                errc::denied,
                fmt::format(
                    "role \"{}\" {} exceeds your own rights",
                    grant.role,
                    describe_zone(grant.zone)));
    }
    return {};
}

async<void> check_may_manage_user(muster::metastore& metastore, identity actor, std::string user) {
    CO_TRY(const auto stored, co_await metastore.get(keys::user(user)));
    std::vector<access::grant> grants;
    if (stored.found) {
        CO_TRY(const auto record, decode_user(stored.found->value));
        grants = record.grants;
    }
    CO_TRY(const auto roles, co_await read_granted_roles(metastore, grants));
    co_return check_may_manage(actor, grants, roles.role_rights);
}

bool is_own_credential(const identity& actor, const owned_credential& credential) {
    if (actor.user.empty() || actor.user != credential.user) return false;
    return actor.credential == identity::credential_kind::session || actor.id == credential.id;
}

void lock_roles(
    kv::transaction& change, const std::vector<access::grant>& grants, const granted_roles& roles) {
    std::set<std::string> locked;
    for (const auto& grant : grants) {
        const auto entry = roles.entries.find(grant.role);
        if (entry == roles.entries.end() || !locked.insert(grant.role).second) continue;
        const auto& stored = entry->second;
        change.when.emplace_back(kv::value_is{stored.key, stored.value});
        change.then.emplace_back(kv::put{.key = stored.key, .value = stored.value});
    }
}

}  // namespace muster::people
