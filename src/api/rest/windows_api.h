#pragma once

#include "core/fleet/system_set.h"
#include "core/windows/replacement.h"
#include "services/fleet/fleet.h"
#include "api/operations/registry.h"
#include "services/windows/planned_jobs.h"
#include "services/windows/window_book.h"

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
    struct surroundings {
        windows::window_book& book;
        const fleet::fleet& known;
        // The accepted systems that a query means.
        std::function<result<fleet::system_set>(const std::string& query)> resolve;
        // Those of a set that are in one of these zones; null: nobody is.
        std::function<fleet::system_set(const std::set<std::string>&, const fleet::system_set&)>
            in_zones = nullptr;
        clock& time;
        windows::planned_jobs* planned = nullptr;  // null: nothing is planned
        std::filesystem::path authorities = {};    // that calendars are fetched by
    };

    explicit windows_api(surroundings around) : around_(std::move(around)) {}

    result<void> declare(registry& to);

    // Whether all that is planned may stay when this takes the calendar's place. errc::conflict
    // names what may not.
    result<void> keeps_planned(const std::string& label, const windows::calendar& with) const;

    // The calendar at an address, from whoever the authorities vouch for.
    async<std::string> fetch(std::string url) const;

private:
    using view = std::shared_ptr<const windows::window_view>;

    async<reply> list_calendars(call asked);
    async<reply> show_calendar(call asked);
    async<reply> add_calendar(call asked);
    async<reply> replace_calendar(call asked);
    async<reply> refresh_calendar(call asked);
    async<reply> remove_calendar(call asked);
    async<reply> list_schedules(call asked);
    async<reply> show_schedule(call asked);
    async<reply> add_schedule(call asked);
    async<reply> change_schedule(call asked);
    async<reply> remove_schedule(call asked);
    async<reply> times(call asked);
    async<reply> show_calendar_sheet(call asked);
    async<reply> assign(call asked);
    async<reply> unassign(call asked);
    async<reply> list_systems(call asked);
    async<reply> show_policy(call asked);
    async<reply> set_policy(call asked);

    async<windows::stored_calendar> with_text(windows::stored_calendar what);
    async<reply> put_calendar(
        call asked,
        std::string label,
        windows::stored_calendar what,
        windows::window_book::writing how,
        std::string strategies);
    result<replanned_schedules> replanned_by(
        const windows::window_view& now,
        const std::string& label,
        const windows::calendar& with,
        const std::string& strategies) const;
    // Moves what is planned; which jobs went on as others.
    async<boost::json::array> carry_out(
        call asked, replanned_schedules plans, std::string in_force) const;
    async<reply> assigned(call asked, std::string schedule);
    result<fleet::system_set> systems_meant(const call& asked) const;
    result<view> current() const;

    result<void> declare_calendars(registry& to);
    result<void> declare_schedules(registry& to);
    result<void> declare_policy(registry& to);

    surroundings around_;
};

}  // namespace muster::api
