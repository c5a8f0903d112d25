#pragma once

#include "api/xmlrpc/calls/method.h"
#include "api/xmlrpc/calls/systems_by_node_cache.h"
#include "core/fleet/system_set.h"
#include "services/fleet/group_store.h"
#include "services/fleet/search.h"
#include "services/fleet/system_cache.h"
#include "services/fleet/system_profile_store.h"
#include "services/fleet/system_service.h"
#include "services/presence/presence_cache.h"
#include "services/presence/presence_lookup.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// The fleet as a caller of the compatible API may see it: the accepted systems of the zones where
// the caller has the right that the method needs, and of one node if the call is for that one only.
// Thread-safe.
class fleet_query {
public:
    struct dependencies {
        const fleet::system_cache& systems;
        const fleet::search& search;
        const presence::presence_cache& presence;
        const cluster::topology_cache& topology;
        const fleet::group_store& groups;
        const fleet::system_profile_store* profiles = nullptr;  // null: nobody wrote anything down
    };

    // Both must outlive it.
    fleet_query(dependencies deps, const systems_by_node_cache& served)
        : deps_(deps), served_(served) {}

    // Those that an expression means; without one, all. For a call that is for one node only,
    // somebody must have looked over the fleet before.
    result<fleet::system_set> meant(const call& call, const std::string& expression = "*") const;
    // Those that are in a group by their label or by the group's expression.
    result<fleet::system_set> in_group(const call& call, const std::string& name) const;
    result<bool> is_in_group(const system_record& system, const std::string& name) const;
    // errc::not_found also for one that the caller may not see.
    result<system_record> find(const call& call, std::int64_t number) const;
    // Those of the argument `sids`.
    result<std::vector<system_record>> find_all(const call& call) const;

    std::optional<presence::sighting> sighting_of(const system_record& of) const {
        return deps_.presence.find(of.number);
    }

    // A system with what it told of itself.
    struct system_with_facts {
        system_record record;
        std::optional<presence::sighting> seen;
        std::string host;  // its name for itself, or ours
        std::vector<std::string> addresses;
        std::string kernel;
    };
    system_with_facts picture(const system_record& of) const;

    // That people gave it, or its own.
    std::string name_of(const system_record& of) const;

    // As lists of systems have it: id, name, last_checkin, created.
    api::value overview(const system_record& of) const;
    // All that is known, as system.getDetails has it; without its profile, where it stands and how
    // it is reached is left out.
    api::value details(const system_record& of) const;
    api::value details(const system_record& of, const fleet::system_profile& written) const;

    // Each of a set for which `told` gives something, in the order of their numbers, some at a
    // time. Those that left the fleet meanwhile are passed over.
    using teller = std::function<result<api::value>(const system_record&)>;
    answer list(fleet::system_set systems, teller teller) const;
    answer list(fleet::system_set systems) const;

    const dependencies& around() const { return deps_; }

private:
    dependencies deps_;
    const systems_by_node_cache& served_;
};

api::shape overview_shape();
api::shape details_shape();

}  // namespace muster::xmlrpc_api
