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

// Queries the fleet on behalf of a caller of the compatible API. Returns accepted systems of the
// zones where the caller has the right of the method; of one node only if the call names a node.
// Thread-safe.
class fleet_query {
public:
    struct dependencies {
        const fleet::system_cache& systems;
        const fleet::search& search;
        const presence::presence_cache& presence;
        const cluster::topology_cache& topology;
        const fleet::group_store& groups;
        const fleet::system_profile_store* profiles = nullptr;  // null: there are no profiles
    };

    // The dependencies must outlive it.
    fleet_query(dependencies deps, const systems_by_node_cache& systems_by_node)
        : deps_(deps), systems_by_node_(systems_by_node) {}

    // Systems that match an expression; all by default. For a call that names a node,
    // systems_by_node_cache::refresh() must have run before.
    result<fleet::system_set> find_systems(
        const call& call, const std::string& expression = "*") const;
    // Members of a group, by their labels or by the group's expression.
    result<fleet::system_set> find_group_members(const call& call, const std::string& name) const;
    result<bool> is_in_group(const system_record& system, const std::string& name) const;
    // errc::not_found also for a system that the caller may not see.
    result<system_record> find(const call& call, std::int64_t number) const;
    // The systems of the argument `sids`.
    result<std::vector<system_record>> find_all(const call& call) const;

    std::optional<presence::sighting> sighting_of(const system_record& system) const {
        return deps_.presence.find(system.number);
    }

    // A system with the facts that it reported.
    struct system_with_facts {
        system_record record;
        std::optional<presence::sighting> sighting;
        std::string host;  // reported host name, or the system's name
        std::vector<std::string> addresses;
        std::string kernel;
    };
    system_with_facts read_facts(const system_record& system) const;

    // The name in the profile, or the system's own.
    std::string name_of(const system_record& system) const;

    // Members as in lists of systems: id, name, last_checkin, created.
    api::value overview(const system_record& system) const;
    // All members of system.getDetails. Without a profile, location and contact method are left
    // out.
    api::value details(const system_record& system) const;
    api::value details(const system_record& system, const fleet::system_profile& profile) const;

    // Lists the systems for which `item_builder` returns a value, ordered by number, page by page.
    // Skips systems that were removed meanwhile.
    using item_builder = std::function<result<api::value>(const system_record&)>;
    method_response list(fleet::system_set systems, item_builder build_item) const;
    method_response list(fleet::system_set systems) const;

    const dependencies& deps() const { return deps_; }

private:
    dependencies deps_;
    const systems_by_node_cache& systems_by_node_;
};

api::shape overview_shape();
api::shape details_shape();

}  // namespace muster::xmlrpc_api
