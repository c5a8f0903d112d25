#pragma once

#include "api/operations/registry.h"
#include "core/fleet/system_set.h"
#include "core/windows/replacement.h"
#include "services/fleet/system_cache.h"
#include "services/fleet/target_resolver.h"
#include "services/windows/calendar_source.h"
#include "services/windows/planned_jobs.h"
#include "services/windows/window_store.h"

#include <boost/json/array.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::api {

using windows::replaced_job;
using windows::replanned_schedules;

// Calendars, maintenance schedules, who has which, and when they are open. Answers from memory.
class windows_api {
public:
    struct dependencies {
        windows::window_store& windows;
        const fleet::system_cache& systems;
        const fleet::target_resolver& targets;
        const windows::calendar_source& calendars;
        muster::clock& clock;
        windows::planned_jobs* planned = nullptr;  // null: nothing is planned
    };

    explicit windows_api(dependencies deps) : deps_(std::move(deps)) {}

    result<void> declare(registry& to);

private:
    using view = std::shared_ptr<const windows::window_snapshot>;

    async<reply> list_calendars(call call);
    async<reply> show_calendar(call call);
    async<reply> add_calendar(call call);
    async<reply> replace_calendar(call call);
    async<reply> refresh_calendar(call call);
    async<reply> remove_calendar(call call);
    async<reply> list_schedules(call call);
    async<reply> show_schedule(call call);
    async<reply> add_schedule(call call);
    async<reply> change_schedule(call call);
    async<reply> remove_schedule(call call);
    async<reply> times(call call);
    async<reply> show_calendar_sheet(call call);
    async<reply> assign(call call);
    async<reply> unassign(call call);
    async<reply> list_systems(call call);
    async<reply> show_policy(call call);
    async<reply> set_policy(call call);

    async<windows::stored_calendar> with_text(windows::stored_calendar stored_calendar);
    async<reply> put_calendar(
        call call,
        std::string label,
        windows::stored_calendar stored_calendar,
        windows::window_store::writing writing,
        std::string strategies);
    // Moves what is planned; which jobs went on as others.
    async<boost::json::array> carry_out(
        call call, replanned_schedules plans, std::string in_force) const;
    async<reply> assigned(call call, std::string schedule);
    result<fleet::system_set> systems_meant(const call& call) const;
    result<view> current() const;

    result<void> declare_calendars(registry& to);
    result<void> declare_schedules(registry& to);
    result<void> declare_policy(registry& to);

    dependencies deps_;
};

}  // namespace muster::api
