// What maintenance_methods.h declares.

#include "api/xmlrpc/methods/maintenance_methods.h"
#include "api/xmlrpc/methods/method_declarations.h"

#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr std::int64_t calendar_bytes_max = std::int64_t{4} << 20;
constexpr std::int64_t strategies_max = 10;

constexpr method_defaults methods{.prefix = "maintenance.", .changes = right::windows_change};

// Clients ask all of these by POST.
operation reading(std::string name, std::string summary, shape gives) {
    return asking_by_post(
        methods.reading(std::move(name), std::move(summary), {}, std::move(gives)));
}

parameter strategy() {
    return argument("rescheduleStrategy", list_of(name(), strategies_max));
}

parameter systems() {
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

shape rescheduled_shape() {
    return record_of(
        {required("strategy", text()),
         required("for_schedule_name", text()),
         required("status", flag()),
         required("message", text()),
         required("actions", list_of(anything()))});
}

}  // namespace

result<void> maintenance_methods::declare_schedules(method_registry& to) {
    CHECK_OK(to.add(
        {reading("listScheduleNames", "The maintenance schedules", list_of(name())),
         done_by(this, &maintenance_methods::list_schedules)}));
    auto details = reading("getScheduleDetails", "A maintenance schedule", schedule_shape());
    details.takes = {argument("name", name())};
    // Calendars' addresses may be secrets.
    details.within = scope::cluster;
    CHECK_OK(to.add({std::move(details), done_by(this, &maintenance_methods::schedule_details)}));
    auto create = methods.changing(
        "createSchedule",
        "Makes a maintenance schedule",
        {argument("name", name()), argument("type", name())},
        schedule_shape());
    CHECK_OK(to.add({create, done_by(this, &maintenance_methods::create_schedule)}));
    create.takes.push_back(argument("calendar", name()));
    CHECK_OK(to.add({std::move(create), done_by(this, &maintenance_methods::create_schedule)}));
    CHECK_OK(to.add(
        {methods.changing(
             "updateSchedule",
             "Gives a maintenance schedule other windows",
             {argument("name", name()), argument("details", map_of(anything())), strategy()},
             rescheduled_shape()),
         done_by(this, &maintenance_methods::update_schedule)}));
    return to.add(
        {methods.changing(
             "deleteSchedule",
             "Removes a maintenance schedule that no system has",
             {argument("name", name())},
             integer(1, 1)),
         done_by(this, &maintenance_methods::delete_schedule)});
}

result<void> maintenance_methods::declare_calendars(method_registry& to) {
    const auto label = argument("label", name());
    CHECK_OK(to.add(
        {reading("listCalendarLabels", "The calendars", list_of(name())),
         done_by(this, &maintenance_methods::list_calendars)}));
    auto details = reading("getCalendarDetails", "A calendar with its text", calendar_shape());
    details.takes = {label};
    details.within = scope::cluster;
    CHECK_OK(to.add({std::move(details), done_by(this, &maintenance_methods::calendar_details)}));
    CHECK_OK(to.add(
        {methods.changing(
             "createCalendar",
             "Adds a calendar",
             {label, argument("ical", text(calendar_bytes_max))},
             calendar_shape()),
         done_by(this, &maintenance_methods::create_calendar)}));
    CHECK_OK(to.add(
        {methods.changing(
             "createCalendarWithUrl",
             "Adds a calendar that is fetched from an address",
             {label, argument("url", text())},
             calendar_shape()),
         done_by(this, &maintenance_methods::create_calendar)}));
    CHECK_OK(to.add(
        {methods.changing(
             "updateCalendar",
             "Puts another in a calendar's place",
             {label, argument("details", map_of(anything())), strategy()},
             list_of(rescheduled_shape())),
         done_by(this, &maintenance_methods::update_calendar)}));
    CHECK_OK(to.add(
        {methods.changing(
             "refreshCalendar",
             "Fetches a calendar from its address again",
             {label, strategy()},
             list_of(rescheduled_shape())),
         done_by(this, &maintenance_methods::refresh_calendar)}));
    return to.add(
        {methods.changing(
             "deleteCalendar",
             "Removes a calendar; its schedules have no windows then",
             {label, argument("cancelScheduledActions", flag())},
             list_of(rescheduled_shape())),
         done_by(this, &maintenance_methods::delete_calendar)});
}

result<void> maintenance_methods::declare_systems(method_registry& to) {
    auto assign = methods.changing(
        "assignScheduleToSystems",
        "Gives a maintenance schedule to systems",
        {argument("scheduleName", name()), systems(), strategy()},
        integer(0));
    assign.within = scope::filtered;
    CHECK_OK(to.add({std::move(assign), done_by(this, &maintenance_methods::assign)}));
    auto retract = methods.changing(
        "retractScheduleFromSystems",
        "Takes systems' maintenance schedule away",
        {systems()},
        integer(0));
    retract.within = scope::filtered;
    CHECK_OK(to.add({std::move(retract), done_by(this, &maintenance_methods::retract)}));
    auto listed = reading(
        "listSystemsWithSchedule",
        "The systems that have a maintenance schedule",
        list_of(system_id()));
    listed.takes = {argument("scheduleName", name())};
    return to.add({std::move(listed), done_by(this, &maintenance_methods::list_systems)});
}

result<void> maintenance_methods::declare(method_registry& to) {
    CHECK_OK(declare_schedules(to));
    CHECK_OK(declare_calendars(to));
    return declare_systems(to);
}

}  // namespace muster::xmlrpc_api
