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

// /api/v1/keys and /api/v1/systems: systems of the pool and of the fleet, and decisions about them.
// Both list the same records from memory: keys by recorded stage in the order of fingerprints,
// systems by effective state in the order of numbers. Handlers run on any event loop.
class systems_api {
public:
    struct dependencies {
        fleet::system_cache& systems;
        fleet::system_service& keys;
        fleet::bulk_operation_queue& operations;
        const presence::presence_cache& presence;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        const fleet::search& search;
        const fleet::group_store& groups;
        const windows::window_store* schedules = nullptr;  // null: no system has windows
        const group_label_policy* label_policy = nullptr;  // null: all groups are allowed
    };

    explicit systems_api(dependencies deps);

    result<void> declare(registry& operations);

    // The system that the path names; errc::denied if the caller may not see it.
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

    // Builds the change that a call requests.
    using planner = result<bulk_change_service::change> (systems_api::*)(const call& call) const;
    result<bulk_change_service::change> accept(const call& call) const;
    result<bulk_change_service::change> reject(const call& call) const;
    result<bulk_change_service::change> remove(const call& call) const;
    result<bulk_change_service::change> label(const call& call) const;
    result<bulk_change_service::change> unregister(const call& call) const;
    result<bulk_change_service::change> move(const call& call) const;
    async<reply> change(call call, planner plan);

    result<void> declare_reading(registry& operations);
    result<void> declare_details(registry& operations);
    result<void> declare_keys(registry& operations);
    result<void> declare_systems(registry& operations);
    // Declares the operation for one system (path) and for many (body).
    result<void> declare_change(registry& operations, api::operation operation, planner plan);

    async<reply> list(call call, std::set<enrolment> stages);
    // The systems that match `q`, and notes for the caller.
    struct search_result {
        fleet::system_set systems;
        boost::json::object notes;
    };
    result<search_result> search_systems(const call& call) const;
    async<target_list> find_target(std::string name) const;
    async<system_record> find(std::string name) const;
    result<std::string> read_zone(const call& call) const;
    boost::json::object to_json(
        const system_record& record, const cluster::topology& topology) const;

    dependencies deps_;
    bulk_change_service bulk_;
};

}  // namespace muster::api
