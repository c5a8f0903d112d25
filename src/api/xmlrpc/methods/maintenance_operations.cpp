// Declares the methods of maintenance_methods.h.

#include "api/xmlrpc/methods/maintenance_methods.h"
#include "api/xmlrpc/methods/method_declarations.h"

#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr std::int64_t calendar_bytes_max = std::int64_t{4} << 20;
constexpr std::int64_t strategies_max = 10;

constexpr method_defaults methods{.prefix = "maintenance.", .change_right = right::windows_change};

// Clients call all of these by POST.
operation maintenance_read_method(std::string name, std::string summary, shape response) {
    return read_by_post(
        methods.read_method(std::move(name), std::move(summary), {}, std::move(response)));
}

parameter strategy_parameter() {
    return argument("rescheduleStrategy", list_of(name(), strategies_max));
}

parameter systems_list() {
    return argument("sids", list_of(system_id(), systems_of_action_max));
}

shape calendar_shape() {
    return record_of(
        {required("id", integer(1)),
         required("orgId", integer(1)),
         required("label", name()),
         optional("url", text()),
         required("ical", text(calendar_bytes_max))});
}

shape schedule_shape() {
    return record_of(
        {required("id", integer(1)),
         required("orgId", integer(1)),
         required("name", name()),
         required("type", name()),
         optional("calendar", calendar_shape())});
}

shape reschedule_shape() {
    return record_of(
        {required("strategy", text()),
         required("for_schedule_name", text()),
         required("status", flag()),
         required("message", text()),
         required("actions", list_of(anything()))});
}

}  // namespace

result<void> maintenance_methods::declare_schedules(method_registry& registry) {
    CHECK_OK(registry.add(
        {maintenance_read_method(
             "listScheduleNames", "List maintenance schedules", list_of(name())),
         handler(this, &maintenance_methods::list_schedules)}));
    auto details = maintenance_read_method(
        "getScheduleDetails", "Get a maintenance schedule", schedule_shape());
    details.takes = {argument("name", name())};
    // Addresses of calendars may be secret.
    details.within = scope::cluster;
    CHECK_OK(
        registry.add({std::move(details), handler(this, &maintenance_methods::schedule_details)}));
    auto create = methods.change_method(
        "createSchedule",
        "Create a maintenance schedule",
        {argument("name", name()), argument("type", name())},
        schedule_shape());
    CHECK_OK(registry.add({create, handler(this, &maintenance_methods::create_schedule)}));
    create.takes.push_back(argument("calendar", name()));
    CHECK_OK(
        registry.add({std::move(create), handler(this, &maintenance_methods::create_schedule)}));
    CHECK_OK(registry.add(
        {methods.change_method(
             "updateSchedule",
             "Update a maintenance schedule",
             {argument("name", name()),
              argument("details", map_of(anything())),
              strategy_parameter()},
             reschedule_shape()),
         handler(this, &maintenance_methods::update_schedule)}));
    return registry.add(
        {methods.change_method(
             "deleteSchedule",
             "Delete an unused maintenance schedule",
             {argument("name", name())},
             integer(1, 1)),
         handler(this, &maintenance_methods::delete_schedule)});
}

result<void> maintenance_methods::declare_calendars(method_registry& registry) {
    const auto label = argument("label", name());
    CHECK_OK(registry.add(
        {maintenance_read_method(
             "listCalendarLabels", "List maintenance calendars", list_of(name())),
         handler(this, &maintenance_methods::list_calendars)}));
    auto details = maintenance_read_method(
        "getCalendarDetails",
        "Get a maintenance calendar with its iCalendar text",
        calendar_shape());
    details.takes = {label};
    details.within = scope::cluster;
    CHECK_OK(
        registry.add({std::move(details), handler(this, &maintenance_methods::calendar_details)}));
    CHECK_OK(registry.add(
        {methods.change_method(
             "createCalendar",
             "Create a maintenance calendar",
             {label, argument("ical", text(calendar_bytes_max))},
             calendar_shape()),
         handler(this, &maintenance_methods::create_calendar)}));
    CHECK_OK(registry.add(
        {methods.change_method(
             "createCalendarWithUrl",
             "Create a maintenance calendar from a URL",
             {label, argument("url", text())},
             calendar_shape()),
         handler(this, &maintenance_methods::create_calendar)}));
    CHECK_OK(registry.add(
        {methods.change_method(
             "updateCalendar",
             "Replace a maintenance calendar",
             {label, argument("details", map_of(anything())), strategy_parameter()},
             list_of(reschedule_shape())),
         handler(this, &maintenance_methods::update_calendar)}));
    CHECK_OK(registry.add(
        {methods.change_method(
             "refreshCalendar",
             "Refresh a maintenance calendar from its URL",
             {label, strategy_parameter()},
             list_of(reschedule_shape())),
         handler(this, &maintenance_methods::refresh_calendar)}));
    return registry.add(
        {methods.change_method(
             "deleteCalendar",
             "Delete a maintenance calendar; its schedules lose their windows",
             {label, argument("cancelScheduledActions", flag())},
             list_of(reschedule_shape())),
         handler(this, &maintenance_methods::delete_calendar)});
}

result<void> maintenance_methods::declare_systems(method_registry& registry) {
    auto assign = methods.change_method(
        "assignScheduleToSystems",
        "Assign a maintenance schedule to systems",
        {argument("scheduleName", name()), systems_list(), strategy_parameter()},
        integer(0));
    assign.within = scope::filtered;
    CHECK_OK(registry.add({std::move(assign), handler(this, &maintenance_methods::assign)}));
    auto retract = methods.change_method(
        "retractScheduleFromSystems",
        "Remove the maintenance schedule of systems",
        {systems_list()},
        integer(0));
    retract.within = scope::filtered;
    CHECK_OK(registry.add({std::move(retract), handler(this, &maintenance_methods::retract)}));
    auto list = maintenance_read_method(
        "listSystemsWithSchedule",
        "List the systems of a maintenance schedule",
        list_of(system_id()));
    list.takes = {argument("scheduleName", name())};
    return registry.add({std::move(list), handler(this, &maintenance_methods::list_systems)});
}

result<void> maintenance_methods::declare(method_registry& registry) {
    CHECK_OK(declare_schedules(registry));
    CHECK_OK(declare_calendars(registry));
    return declare_systems(registry);
}

}  // namespace muster::xmlrpc_api
