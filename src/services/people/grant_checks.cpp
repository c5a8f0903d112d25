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

std::string where(const std::string& zone) {
    return zone.empty() ? std::string("in the whole cluster") : "in zone " + zone;
}

}  // namespace

async<read_roles> roles_named(muster::metastore& metastore, std::vector<access::grant> grants) {
    read_roles read;
    std::set<std::string> names;
    for (const auto& grant : grants) {
        if (!access::built_in_roles().contains(grant.role)) names.insert(grant.role);
    }
    for (const auto& name : names) {
        CO_TRY(auto there, co_await metastore.get(keys::role(name)));
        if (!there.found) continue;
        CO_TRY(const auto role, decode_role(there.found->value));
        read.meanings.emplace(name, role.rights);
        read.entries.emplace(name, *std::move(there.found));
    }
    co_return read;
}

result<void> check_grants(
    const std::vector<access::grant>& grants,
    const access::roles& meanings,
    const access::zone_parents& zones) {
    if (grants.size() > limits::grants_max)
        return fail(
            errc::invalid, fmt::format("there are more than {} grants", limits::grants_max));
    std::set<access::grant> observed;
    for (const auto& grant : grants) {
        if (!meanings.contains(grant.role))
            return fail(errc::not_found, fmt::format("Role {} was not found", grant.role));
        if (!grant.zone.empty() && !zones.contains(grant.zone))
            return fail(errc::not_found, fmt::format("Zone {} was not found", grant.zone));
        if (!observed.insert(grant).second)
            return fail(
                errc::invalid,
                fmt::format("the role {} {} is given twice", grant.role, where(grant.zone)));
    }
    return {};
}

result<void> check_may_manage(
    const identity& actor,
    const std::vector<access::grant>& grants,
    const access::roles& meanings) {
    if (!actor.may.anywhere(right::people_change))
        return fail(errc::denied, "this needs the right people.change");
    for (const auto& grant : grants) {
        if (!has(actor, grant.zone, right::people_change))
            return fail(
                errc::denied,
                fmt::format("this needs the right people.change {}", where(grant.zone)));
        if (!actor.may.covers(access::permissions({grant}, meanings), *actor.zones))
            return fail(
                errc::denied,
                fmt::format(
                    "the role {} {} allows more than you may yourself",
                    grant.role,
                    where(grant.zone)));
    }
    return {};
}

async<void> check_manages_user(muster::metastore& metastore, identity actor, std::string user) {
    CO_TRY(const auto there, co_await metastore.get(keys::user(user)));
    std::vector<access::grant> grants;
    if (there.found) {
        CO_TRY(const auto record, decode_user(there.found->value));
        grants = record.grants;
    }
    CO_TRY(const auto roles, co_await roles_named(metastore, grants));
    co_return check_may_manage(actor, grants, roles.meanings);
}

bool is_own(const identity& actor, const affair& affair) {
    if (actor.user.empty() || actor.user != affair.user) return false;
    return actor.how == identity::door::session || actor.id == affair.id;
}

void hold_roles(
    kv::transaction& change, const std::vector<access::grant>& grants, const read_roles& roles) {
    std::set<std::string> held;
    for (const auto& grant : grants) {
        const auto entry = roles.entries.find(grant.role);
        if (entry == roles.entries.end() || !held.insert(grant.role).second) continue;
        const auto& stored = entry->second;
        change.when.emplace_back(kv::value_is{stored.key, stored.value});
        change.then.emplace_back(kv::put{.key = stored.key, .value = stored.value});
    }
}

}  // namespace muster::people
