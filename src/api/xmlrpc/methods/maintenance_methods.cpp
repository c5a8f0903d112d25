#include "api/xmlrpc/methods/maintenance_methods.h"

#include "api/xmlrpc/methods/action_format.h"
#include "ports/deadline.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using namespace api;
using api::engine_timeout;
using compatibility::numbered::calendar;
using compatibility::numbered::maintenance;

std::string join_texts(const call& call, std::string_view argument) {
    std::string result;
    for (const auto& item : *call.arguments().find(argument)->get<value::list>()) {
        if (!result.empty()) result += ",";
        result += *item.get<std::string>();
    }
    return result.empty() ? "Fail" : result;
}

bool names_strategy(const call& call, std::string_view strategy) {
    const auto& strategies = *call.arguments().find("rescheduleStrategy")->get<value::list>();
    return std::ranges::any_of(
        strategies, [&](const value& item) { return *item.get<std::string>() == strategy; });
}

// A member of the argument `details`, if it is a text.
std::optional<std::string> detail(const call& call, std::string_view name) {
    const auto* const member = call.arguments().find("details")->find(name);
    const auto* const text = member == nullptr ? nullptr : member->get<std::string>();
    return text == nullptr ? std::nullopt : std::optional(*text);
}

}  // namespace

result<maintenance_methods::snapshot> maintenance_methods::read_snapshot() const {
    auto snapshot = deps_.windows.current();
    if (!snapshot) return fail(errc::unavailable, "maintenance windows are not loaded yet; retry");
    return snapshot;
}

async<std::int64_t> maintenance_methods::number(std::string_view kind, std::string name) const {
    const auto& deps = deps_.actions.deps();
    auto lookup = deps.numbers.number(std::string(kind), std::move(name));
    CO_TRY(const auto id, co_await within(deps.clock, engine_timeout, std::move(lookup)));
    co_return id.number;
}

async<value> maintenance_methods::calendar_value(std::string label) const {
    CO_TRY(const auto snapshot, read_snapshot());
    const auto it = snapshot->calendars.find(label);
    if (it == snapshot->calendars.end())
        co_return fail(
            errc::not_found, fmt::format("maintenance calendar \"{}\" not found", label));
    CO_TRY(const auto id, co_await number(calendar, label));
    value::record record{{"id", id}, {"orgId", 1}, {"label", label}};
    const auto& stored = *it->second.stored;
    if (!stored.url.empty()) record.push_back({"url", stored.url});
    record.push_back({"ical", stored.text});
    co_return value(std::move(record));
}

async<value> maintenance_methods::schedule_value(std::string name) const {
    CO_TRY(const auto snapshot, read_snapshot());
    const auto it = snapshot->maintenance.find(name);
    if (it == snapshot->maintenance.end())
        co_return fail(errc::not_found, fmt::format("maintenance schedule \"{}\" not found", name));
    CO_TRY(const auto id, co_await number(maintenance, name));
    const auto& stored = it->second.stored;
    value::record record{{"id", id}, {"orgId", 1}, {"name", name}, {"type", stored.type}};
    if (!stored.calendar.empty()) {
        CO_TRY(auto calendar_record, co_await calendar_value(stored.calendar));
        record.push_back({"calendar", std::move(calendar_record)});
    }
    co_return value(std::move(record));
}

async<method_response> maintenance_methods::list_schedules(call /*call*/) {
    CO_TRY(const auto snapshot, read_snapshot());
    value::list names;
    for (const auto& [name, schedule] : snapshot->maintenance) names.emplace_back(name);
    co_return method_response{std::move(names)};
}

async<method_response> maintenance_methods::schedule_details(call call) {
    CO_TRY(auto response, co_await schedule_value(call.text("name")));
    co_return method_response{std::move(response)};
}

async<method_response> maintenance_methods::create_schedule(call call) {
    json::object body{{"name", call.text("name")}, {"type", call.text("type")}};
    if (const auto* const calendar_label = call.arguments().find("calendar"))
        body["calendar"] = *calendar_label->get<std::string>();
    CO_CHECK_OK(
        co_await deps_.actions.deps().operations.perform(call, "windows.create", std::move(body)));
    CO_TRY(auto response, co_await schedule_value(call.text("name")));
    co_return method_response{std::move(response)};
}

async<method_response> maintenance_methods::update_schedule(call call) {
    CO_CHECK_OK(check_members(call, "details", {"type", "calendar"}));
    json::object body{{"name", call.text("name")}};
    if (const auto type = detail(call, "type")) body["type"] = *type;
    if (const auto calendar_label = detail(call, "calendar")) body["calendar"] = *calendar_label;
    reschedule_result change{
        .strategies = join_texts(call, "rescheduleStrategy"), .schedules = {}, .outcome = {}};
    change.schedules.push_back(call.text("name"));
    body["resolve_strategy"] = change.strategies;
    change.outcome =
        co_await deps_.actions.deps().operations.perform(call, "windows.change", std::move(body));
    CO_TRY(auto response, co_await reschedule_response(call, std::move(change)));
    co_return method_response{response.content.get<value::list>()->front()};
}

async<method_response> maintenance_methods::delete_schedule(call call) {
    json::object body{{"name", call.text("name")}};
    CO_CHECK_OK(
        co_await deps_.actions.deps().operations.perform(call, "windows.remove", std::move(body)));
    co_return method_response{1};
}

async<method_response> maintenance_methods::list_calendars(call /*call*/) {
    CO_TRY(const auto snapshot, read_snapshot());
    value::list labels;
    for (const auto& [label, calendar_entry] : snapshot->calendars) labels.emplace_back(label);
    co_return method_response{std::move(labels)};
}

async<method_response> maintenance_methods::calendar_details(call call) {
    CO_TRY(auto response, co_await calendar_value(call.text("label")));
    co_return method_response{std::move(response)};
}

async<method_response> maintenance_methods::create_calendar(call call) {
    json::object body{{"label", call.text("label")}};
    if (const auto* const text = call.arguments().find("ical"))
        body["text"] = *text->get<std::string>();
    if (const auto* const url = call.arguments().find("url"))
        body["url"] = *url->get<std::string>();
    CO_CHECK_OK(co_await deps_.actions.deps().operations.perform(
        call, "calendars.create", std::move(body)));
    CO_TRY(auto response, co_await calendar_value(call.text("label")));
    co_return method_response{std::move(response)};
}

std::vector<std::string> maintenance_methods::find_schedules(const std::string& label) const {
    std::vector<std::string> names;
    const auto snapshot = deps_.windows.current();
    if (!snapshot) return names;
    for (const auto& [name, schedule] : snapshot->maintenance)
        if (schedule.stored.calendar == label) names.push_back(name);
    return names;
}

async<method_response> maintenance_methods::update_calendar(call call) {
    const auto& label = call.text("label");
    CO_CHECK_OK(check_members(call, "details", {"ical", "url"}));
    json::object body{{"name", label}};
    if (const auto text = detail(call, "ical")) body["text"] = *text;
    if (const auto url = detail(call, "url")) body["url"] = *url;
    reschedule_result change{
        .strategies = join_texts(call, "rescheduleStrategy"), .schedules = {}, .outcome = {}};
    change.schedules = find_schedules(label);
    body["resolve_strategy"] = change.strategies;
    change.outcome = co_await deps_.actions.deps().operations.perform(
        call, "calendars.replace", std::move(body));
    co_return co_await reschedule_response(std::move(call), std::move(change));
}

async<method_response> maintenance_methods::refresh_calendar(call call) {
    const auto& label = call.text("label");
    reschedule_result change{
        .strategies = join_texts(call, "rescheduleStrategy"), .schedules = {}, .outcome = {}};
    change.schedules = find_schedules(label);
    json::object body{{"name", label}, {"resolve_strategy", change.strategies}};
    change.outcome = co_await deps_.actions.deps().operations.perform(
        call, "calendars.refresh", std::move(body));
    co_return co_await reschedule_response(std::move(call), std::move(change));
}

// The schedules keep their type and have no windows until they get another calendar.
async<method_response> maintenance_methods::delete_calendar(call call) {
    const auto& label = call.text("label");
    const auto& operations = deps_.actions.deps().operations;
    CO_CHECK_OK(co_await calendar_value(label));
    const std::string strategy = call.flag("cancelScheduledActions") ? "Cancel" : "Fail";
    value::list list;
    for (const auto& schedule : find_schedules(label)) {
        reschedule_result change{.strategies = strategy, .schedules = {schedule}, .outcome = {}};
        json::object body{{"name", schedule}, {"calendar", ""}, {"resolve_strategy", strategy}};
        change.outcome = co_await operations.perform(call, "windows.change", std::move(body));
        const bool succeeded = change.outcome.has_value();
        CO_TRY(auto response, co_await reschedule_response(call, std::move(change)));
        list.push_back(std::move(response.content.get<value::list>()->front()));
        if (!succeeded) co_return method_response{std::move(list)};
        call.set_partly_done();
    }
    json::object body{{"name", label}};
    CO_CHECK_OK(co_await operations.perform(call, "calendars.remove", std::move(body)));
    co_return method_response{std::move(list)};
}

async<value> maintenance_methods::action_value(call call, std::string job) const {
    const auto& deps = deps_.actions.deps();
    CO_TRY(auto stored, co_await deps.reader.find(job));
    std::vector<jobs::stored_job> stored_jobs;
    stored_jobs.push_back(std::move(stored));
    CO_TRY(const auto actions, co_await deps_.actions.number_all(std::move(stored_jobs)));
    const auto& record = actions.front().job.record;
    value::list systems;
    auto lookup = deps.reader.job_store().find_targets(record.job);
    CO_TRY(const auto audience, co_await within(deps.clock, engine_timeout, std::move(lookup)));
    const auto visible = deps.targets.reach_of(call.zones(), audience.systems);
    for (const auto system : visible.page(system_number(0), systems_of_action_max))
        systems.emplace_back(system.value());
    co_return value(value::record{
        {"id", actions.front().id.number},
        {"name", action_name(record)},
        {"type", action_type(record.spec.function)},
        {"scheduler", record.spec.actor},
        {"earliest", earliest_start(record)},
        {"affected_system_ids", std::move(systems)},
        {"details", record.spec.note}});
}

async<method_response> maintenance_methods::reschedule_response(
    call call, reschedule_result change) const {
    // A conflict is not a failure of the call: the response says that nothing was changed.
    const bool refused = !change.outcome && change.outcome.error().code() == errc::conflict;
    if (!change.outcome && !refused) co_return fail(change.outcome.error());
    if (change.schedules.empty() && refused) co_return fail(change.outcome.error());
    std::map<std::string, value::list> actions;
    if (!refused) {
        for (const auto& replanned : change.outcome->at("replanned").as_array()) {
            if (replanned.at("verdict").as_string() == "kept") continue;
            auto job = json::value_to<std::string>(replanned.at("job"));
            CO_TRY(auto response, co_await action_value(call, std::move(job)));
            actions[json::value_to<std::string>(replanned.at("schedule"))].push_back(
                std::move(response));
        }
    }
    value::list list;
    for (const auto& schedule : change.schedules)
        list.push_back(value::record{
            {"strategy", change.strategies},
            {"for_schedule_name", schedule},
            {"status", !refused},
            {"message", refused ? change.outcome.error().detail() : std::string()},
            {"actions", actions[schedule]}});
    co_return method_response{std::move(list)};
}

result<void> maintenance_methods::check_nothing_planned(
    const std::vector<std::int64_t>& systems) const {
    const auto now = deps_.actions.deps().clock.wall();
    for (const auto& open_job : deps_.open_jobs.all()) {
        const auto& spec = open_job->record.spec;
        const bool planned = respects_windows(spec) && spec.not_before && *spec.not_before > now;
        if (!planned || !open_job->targets) continue;
        const bool is_target = std::ranges::any_of(systems, [&](std::int64_t system) {
            return open_job->targets->systems.contains(system_number(system));
        });
        if (is_target)
            return fail(
                errc::conflict,
                fmt::format(
                    "job {} is scheduled for one of the systems; use the strategy Cancel to cancel "
                    "the job",
                    to_string(open_job->record.job)));
    }
    return {};
}

async<method_response> maintenance_methods::assign(call call) {
    const auto systems = read_integers(call, "sids");
    if (!names_strategy(call, "Cancel")) {
        CO_CHECK_OK(check_nothing_planned(systems));
    }
    json::object body{{"name", call.text("scheduleName")}, {"systems", json::value_from(systems)}};
    CO_TRY(
        const auto response,
        co_await deps_.actions.deps().operations.perform(call, "windows.assign", std::move(body)));
    call.set_subject(fmt::format("{} for {} systems", call.text("scheduleName"), systems.size()));
    co_return method_response{response.at("systems").to_number<std::int64_t>()};
}

async<method_response> maintenance_methods::retract(call call) {
    const auto systems = read_integers(call, "sids");
    json::object body{{"systems", json::value_from(systems)}};
    CO_TRY(
        const auto response,
        co_await deps_.actions.deps().operations.perform(
            call, "windows.unassign", std::move(body)));
    call.set_subject(fmt::format("{} systems", systems.size()));
    co_return method_response{response.at("systems").to_number<std::int64_t>()};
}

async<method_response> maintenance_methods::list_systems(call call) {
    CO_TRY(const auto snapshot, read_snapshot());
    const auto& name = call.text("scheduleName");
    if (!snapshot->maintenance.contains(name))
        co_return fail(errc::not_found, fmt::format("maintenance schedule \"{}\" not found", name));
    co_return deps_.fleet.list(
        deps_.actions.deps().targets.reach_of(call.zones(), snapshot->systems_of(name)),
        [](const system_record& system) -> result<value> { return value(system.number.value()); });
}

}  // namespace muster::xmlrpc_api
