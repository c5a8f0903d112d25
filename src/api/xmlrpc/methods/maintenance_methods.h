#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/jobs/open_job_cache.h"
#include "services/windows/window_store.h"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// maintenance.*: calendars, maintenance schedules and which systems have which. What a change does
// to planned work is the native API's; here it is told as clients expect it.
class maintenance_methods {
public:
    struct dependencies {
        const fleet_query& view;
        const action_service& actions;
        const jobs::open_job_cache& open_jobs;
        const windows::window_store& windows;
    };

    explicit maintenance_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    async<answer> list_schedules(call call);
    async<answer> schedule_details(call call);
    async<answer> create_schedule(call call);
    async<answer> update_schedule(call call);
    async<answer> delete_schedule(call call);
    async<answer> list_calendars(call call);
    async<answer> calendar_details(call call);
    async<answer> create_calendar(call call);
    async<answer> update_calendar(call call);
    async<answer> refresh_calendar(call call);
    async<answer> delete_calendar(call call);
    async<answer> assign(call call);
    async<answer> retract(call call);
    async<answer> list_systems(call call);

    result<void> declare_schedules(method_registry& to);
    result<void> declare_calendars(method_registry& to);
    result<void> declare_systems(method_registry& to);

    using view = std::shared_ptr<const windows::window_snapshot>;
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
    async<answer> rescheduled(call call, changed changed) const;
    async<api::value> action_told(call call, std::string job) const;
    std::vector<std::string> schedules_with(const std::string& label) const;
    // errc::conflict when something is planned for these systems within windows.
    result<void> nothing_planned(const std::vector<std::int64_t>& systems) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
