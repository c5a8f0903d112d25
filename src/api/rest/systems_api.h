#pragma once

#include "services/fleet/group_book.h"
#include "services/fleet/registrar.h"
#include "services/fleet/search.h"
#include "api/rest/bulk_desk.h"
#include "api/operations/group_guard.h"
#include "api/operations/registry.h"
#include "services/presence/presence.h"
#include "services/windows/window_book.h"

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
    struct surroundings {
        fleet::fleet& known;
        fleet::registrar& keys;
        fleet::operations& running;
        const presence::presence& seen;
        const cluster::topology_cell& places;
        clock& time;
        const fleet::search& found;
        const fleet::group_book& groups;
        const windows::window_book* schedules = nullptr;  // null: no system has any
        const group_guard* guard = nullptr;               // null: no group leads to anything
    };

    explicit systems_api(surroundings around);

    result<void> declare(registry& to);

    // The one that the path names, if the caller may see it.
    async<system_record> find_visible(call asked) const;

private:
    async<reply> list_keys(call asked);
    async<reply> list_systems(call asked);
    async<reply> count_systems(call asked);
    async<reply> show(call asked);
    async<reply> show_facts(call asked);
    async<reply> show_windows(call asked);
    async<reply> show_operation(call asked);
    async<reply> follow_operation(call asked);

    // What a call asks to be done with systems.
    using planner = result<bulk_desk::change> (systems_api::*)(const call& asked) const;
    result<bulk_desk::change> accept(const call& asked) const;
    result<bulk_desk::change> reject(const call& asked) const;
    result<bulk_desk::change> remove(const call& asked) const;
    result<bulk_desk::change> label(const call& asked) const;
    result<bulk_desk::change> unregister(const call& asked) const;
    result<bulk_desk::change> move(const call& asked) const;
    async<reply> change(call asked, planner plan);

    result<void> declare_reading(registry& to);
    result<void> declare_details(registry& to);
    result<void> declare_keys(registry& to);
    result<void> declare_systems(registry& to);
    // For the one that the path names, and for many.
    result<void> declare_change(registry& to, api::operation what, planner plan);

    async<reply> list(call asked, std::set<enrolment> stages);
    // Whom the call's `q` means, and what its author should know.
    struct finding {
        fleet::system_set systems;
        boost::json::object told;
    };
    result<finding> find_asked(const call& asked) const;
    async<target_list> target_named(std::string one) const;
    async<system_record> find(std::string one) const;
    result<std::string> zone_for(const call& asked) const;
    boost::json::object told(const system_record& record, const cluster::topology& places) const;

    surroundings around_;
    bulk_desk bulk_;
};

}  // namespace muster::api
