#pragma once

#include "api/operations/registry.h"
#include "core/fleet/system_set.h"
#include "core/windows/replacement.h"
#include "services/fleet/system_cache.h"
#include "services/windows/planned_jobs.h"
#include "services/windows/window_store.h"

#include <boost/json/array.hpp>

#include <filesystem>
#include <functional>
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
        windows::window_store& book;
        const fleet::system_cache& known;
        // The accepted systems that a query means.
        std::function<result<fleet::system_set>(const std::string& query)> resolve;
        // Those of a set that are in one of these zones; null: nobody is.
        std::function<fleet::system_set(const std::set<std::string>&, const fleet::system_set&)>
            in_zones = nullptr;
        clock& time;
        windows::planned_jobs* planned = nullptr;  // null: nothing is planned
        std::filesystem::path authorities = {};    // that calendars are fetched by
    };

    explicit windows_api(dependencies deps) : deps_(std::move(deps)) {}

    result<void> declare(registry& to);

    // Whether all that is planned may stay when this takes the calendar's place. errc::conflict
    // names what may not.
    result<void> keeps_planned(const std::string& label, const windows::calendar& with) const;

    // The calendar at an address, from whoever the authorities vouch for.
    async<std::string> fetch(std::string url) const;

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
    result<replanned_schedules> replanned_by(
        const windows::window_snapshot& now,
        const std::string& label,
        const windows::calendar& with,
        const std::string& strategies) const;
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
