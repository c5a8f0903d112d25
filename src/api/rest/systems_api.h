#pragma once

#include "api/operations/group_label_policy.h"
#include "api/operations/registry.h"
#include "api/rest/bulk_change_service.h"
#include "services/fleet/group_store.h"
#include "services/fleet/search.h"
#include "services/fleet/system_service.h"
#include "services/presence/presence_cache.h"
#include "services/windows/window_store.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace muster::api {

// /api/v1/keys and /api/v1/systems: who is in the pool, who is in the fleet, and what admins decide
// about them. Keys are listed by what the record says, systems by what they are told; both are the
// same records. Read from memory. Systems come in the order of their numbers, keys in that of their
// fingerprints. Handlers run on any event loop.
class systems_api {
public:
    struct dependencies {
        fleet::system_cache& systems;
        fleet::system_service& keys;
        fleet::bulk_operation_queue& running;
        const presence::presence_cache& presence;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        const fleet::search& search;
        const fleet::group_store& groups;
        const windows::window_store* schedules = nullptr;  // null: no system has any
        const group_guard* guard = nullptr;                // null: no group leads to anything
    };

    explicit systems_api(dependencies deps);

    result<void> declare(registry& to);

    // The one that the path names, if the caller may see it.
    async<system_record> find_visible(call call) const;

private:
    async<reply> list_keys(call call);
    async<reply> list_systems(call call);
    async<reply> count_systems(call call);
    async<reply> show(call call);
    async<reply> show_facts(call call);
    async<reply> show_windows(call call);
    async<reply> show_operation(call call);
    async<reply> follow_operation(call call);

    // What a call asks to be done with systems.
    using planner = result<bulk_change_service::change> (systems_api::*)(const call& call) const;
    result<bulk_change_service::change> accept(const call& call) const;
    result<bulk_change_service::change> reject(const call& call) const;
    result<bulk_change_service::change> remove(const call& call) const;
    result<bulk_change_service::change> label(const call& call) const;
    result<bulk_change_service::change> unregister(const call& call) const;
    result<bulk_change_service::change> move(const call& call) const;
    async<reply> change(call call, planner plan);

    result<void> declare_reading(registry& to);
    result<void> declare_details(registry& to);
    result<void> declare_keys(registry& to);
    result<void> declare_systems(registry& to);
    // For the one that the path names, and for many.
    result<void> declare_change(registry& to, api::operation operation, planner plan);

    async<reply> list(call call, std::set<enrolment> stages);
    // Whom the call's `q` means, and what its author should know.
    struct finding {
        fleet::system_set systems;
        boost::json::object told;
    };
    result<finding> find_asked(const call& call) const;
    async<target_list> target_named(std::string name) const;
    async<system_record> find(std::string name) const;
    result<std::string> zone_for(const call& call) const;
    boost::json::object told(const system_record& record, const cluster::topology& topology) const;

    dependencies deps_;
    bulk_change_service bulk_;
};

}  // namespace muster::api
