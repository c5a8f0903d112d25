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

// maintenance.*: calendars, maintenance schedules and their systems. The REST operations handle the
// effects on planned jobs; these methods convert the results for clients.
class maintenance_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        const action_service& actions;
        const jobs::open_job_cache& open_jobs;
        const windows::window_store& windows;
    };

    explicit maintenance_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> list_schedules(call call);
    async<method_response> schedule_details(call call);
    async<method_response> create_schedule(call call);
    async<method_response> update_schedule(call call);
    async<method_response> delete_schedule(call call);
    async<method_response> list_calendars(call call);
    async<method_response> calendar_details(call call);
    async<method_response> create_calendar(call call);
    async<method_response> update_calendar(call call);
    async<method_response> refresh_calendar(call call);
    async<method_response> delete_calendar(call call);
    async<method_response> assign(call call);
    async<method_response> retract(call call);
    async<method_response> list_systems(call call);

    result<void> declare_schedules(method_registry& registry);
    result<void> declare_calendars(method_registry& registry);
    result<void> declare_systems(method_registry& registry);

    using snapshot = std::shared_ptr<const windows::window_snapshot>;
    result<snapshot> read_snapshot() const;
    async<std::int64_t> number(std::string_view kind, std::string name) const;
    async<api::value> calendar_value(std::string label) const;
    async<api::value> schedule_value(std::string name) const;
    // The result of a change for planned jobs, one for each schedule.
    struct reschedule_result {
        std::string strategies;
        std::vector<std::string> schedules;
        result<boost::json::value> outcome;
    };
    async<method_response> reschedule_response(
        call call, reschedule_result reschedule_result) const;
    async<api::value> action_value(call call, std::string job) const;
    std::vector<std::string> find_schedules(const std::string& label) const;
    // errc::conflict if a job with windows is planned for one of these systems.
    result<void> check_nothing_planned(const std::vector<std::int64_t>& systems) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
