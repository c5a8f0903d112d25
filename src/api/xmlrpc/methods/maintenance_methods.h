#pragma once

#include "api/xmlrpc/methods/action_desk.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/jobs/job_book.h"
#include "services/windows/window_book.h"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// maintenance.*: calendars, maintenance schedules and which systems have which. What a change does
// to planned work is the native API's; here it is told as clients expect it.
class maintenance_methods {
public:
    struct surroundings {
        const fleet_view& view;
        const action_desk& actions;
        const jobs::job_book& open;
        const windows::window_book& book;
    };

    explicit maintenance_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    async<answer> list_schedules(call asked);
    async<answer> schedule_details(call asked);
    async<answer> create_schedule(call asked);
    async<answer> update_schedule(call asked);
    async<answer> delete_schedule(call asked);
    async<answer> list_calendars(call asked);
    async<answer> calendar_details(call asked);
    async<answer> create_calendar(call asked);
    async<answer> update_calendar(call asked);
    async<answer> refresh_calendar(call asked);
    async<answer> delete_calendar(call asked);
    async<answer> assign(call asked);
    async<answer> retract(call asked);
    async<answer> list_systems(call asked);

    result<void> declare_schedules(method_book& to);
    result<void> declare_calendars(method_book& to);
    result<void> declare_systems(method_book& to);

    using view = std::shared_ptr<const windows::window_view>;
    result<view> current() const;
    async<std::int64_t> number(std::string_view kind, std::string name) const;
    async<api::value> calendar_told(std::string label) const;
    async<api::value> schedule_told(std::string name) const;
    // What became of planned work, one for each schedule.
    struct changed {
        std::string strategies;
        std::vector<std::string> schedules;
        result<boost::json::value> outcome;
    };
    async<answer> rescheduled(call asked, changed what) const;
    async<api::value> action_told(call asked, std::string job) const;
    std::vector<std::string> schedules_with(const std::string& label) const;
    // errc::conflict when something is planned for these systems within windows.
    result<void> nothing_planned(const std::vector<std::int64_t>& systems) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api
