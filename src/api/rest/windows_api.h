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

// Calendars, maintenance schedules, their systems and their windows. Reads come from memory.
// Thread-safe.
class windows_api {
public:
    struct dependencies {
        windows::window_store& windows;
        const fleet::system_cache& systems;
        const fleet::target_resolver& targets;
        const windows::calendar_source& calendars;
        muster::clock& clock;
        windows::planned_jobs* planned_jobs = nullptr;  // null: no planned jobs
    };

    explicit windows_api(dependencies deps) : deps_(std::move(deps)) {}

    result<void> declare(registry& operations);

private:
    using snapshot_pointer = std::shared_ptr<const windows::window_snapshot>;

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
    async<reply> list_windows(call call);
    async<reply> show_overview(call call);
    async<reply> assign(call call);
    async<reply> unassign(call call);
    async<reply> list_systems(call call);
    async<reply> show_policy(call call);
    async<reply> set_policy(call call);

    async<windows::stored_calendar> fetch_text(windows::stored_calendar calendar);
    async<reply> put_calendar(
        call call,
        std::string label,
        windows::stored_calendar calendar,
        windows::window_store::write_mode mode,
        std::string strategies);
    // Reschedules planned jobs; returns the replaced jobs.
    async<boost::json::array> apply_plans(
        call call, replanned_schedules plans, std::string changed_object) const;
    async<reply> assign_schedule(call call, std::string schedule);
    result<fleet::system_set> find_systems(const call& call) const;
    result<snapshot_pointer> current() const;

    result<void> declare_calendars(registry& operations);
    result<void> declare_schedules(registry& operations);
    result<void> declare_policy(registry& operations);

    dependencies deps_;
};

}  // namespace muster::api
