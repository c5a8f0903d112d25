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

std::string joined(const call& call, std::string_view argument) {
    std::string result;
    for (const auto& each : *call.arguments().find(argument)->get<value::list>()) {
        if (!result.empty()) result += ",";
        result += *each.get<std::string>();
    }
    return result.empty() ? "Fail" : result;
}

bool names_strategy(const call& call, std::string_view desired) {
    const auto& all = *call.arguments().find("rescheduleStrategy")->get<value::list>();
    return std::ranges::any_of(
        all, [&](const value& each) { return *each.get<std::string>() == desired; });
}

// A member of the argument `details`, if it is a text.
std::optional<std::string> detail(const call& call, std::string_view name) {
    const auto* const found = call.arguments().find("details")->find(name);
    const auto* const given = found == nullptr ? nullptr : found->get<std::string>();
    return given == nullptr ? std::nullopt : std::optional(*given);
}

}  // namespace

result<maintenance_methods::view> maintenance_methods::current() const {
    auto now = deps_.windows.current();
    if (!now) return fail(errc::unavailable, "the server is still reading the windows");
    return now;
}

async<std::int64_t> maintenance_methods::number(std::string_view kind, std::string name) const {
    const auto& deps = deps_.actions.around();
    auto asking = deps.numbers.number(std::string(kind), std::move(name));
    CO_TRY(const auto existing, co_await within(deps.clock, engine_timeout, std::move(asking)));
    co_return existing.number;
}

async<value> maintenance_methods::calendar_told(std::string label) const {
    CO_TRY(const auto now, current());
    const auto it = now->calendars.find(label);
    if (it == now->calendars.end())
        co_return fail(errc::not_found, "There is no maintenance calendar " + label);
    CO_TRY(const auto id, co_await number(calendar, label));
    value::record record{{"id", id}, {"orgId", 1}, {"label", label}};
    const auto& stored = *it->second.stored;
    if (!stored.url.empty()) record.push_back({"url", stored.url});
    record.push_back({"ical", stored.text});
    co_return value(std::move(record));
}

async<value> maintenance_methods::schedule_told(std::string name) const {
    CO_TRY(const auto now, current());
    const auto it = now->maintenance.find(name);
    if (it == now->maintenance.end())
        co_return fail(errc::not_found, "There is no maintenance schedule " + name);
    CO_TRY(const auto id, co_await number(maintenance, name));
    const auto& stored = it->second.stored;
    value::record record{{"id", id}, {"orgId", 1}, {"name", name}, {"type", stored.type}};
    if (!stored.calendar.empty()) {
        CO_TRY(auto with, co_await calendar_told(stored.calendar));
        record.push_back({"calendar", std::move(with)});
    }
    co_return value(std::move(record));
}

async<answer> maintenance_methods::list_schedules(call /*asked*/) {
    CO_TRY(const auto now, current());
    value::list names;
    for (const auto& [name, kept] : now->maintenance) names.emplace_back(name);
    co_return answer{std::move(names)};
}

async<answer> maintenance_methods::schedule_details(call call) {
    CO_TRY(auto response, co_await schedule_told(call.text("name")));
    co_return answer{std::move(response)};
}

async<answer> maintenance_methods::create_schedule(call call) {
    json::object body{{"name", call.text("name")}, {"type", call.text("type")}};
    if (const auto* const with = call.arguments().find("calendar"))
        body["calendar"] = *with->get<std::string>();
    CO_CHECK_OK(co_await deps_.actions.around().natives.ask(call, "windows.add", std::move(body)));
    CO_TRY(auto response, co_await schedule_told(call.text("name")));
    co_return answer{std::move(response)};
}

async<answer> maintenance_methods::update_schedule(call call) {
    CO_CHECK_OK(check_members(call, "details", {"type", "calendar"}));
    json::object body{{"name", call.text("name")}};
    if (const auto type = detail(call, "type")) body["type"] = *type;
    if (const auto with = detail(call, "calendar")) body["calendar"] = *with;
    changed changed{
        .strategies = joined(call, "rescheduleStrategy"), .schedules = {}, .outcome = {}};
    changed.schedules.push_back(call.text("name"));
    body["resolve_strategy"] = changed.strategies;
    changed.outcome =
        co_await deps_.actions.around().natives.ask(call, "windows.change", std::move(body));
    CO_TRY(auto response, co_await rescheduled(call, std::move(changed)));
    co_return answer{response.content.get<value::list>()->front()};
}

async<answer> maintenance_methods::delete_schedule(call call) {
    json::object body{{"name", call.text("name")}};
    CO_CHECK_OK(
        co_await deps_.actions.around().natives.ask(call, "windows.remove", std::move(body)));
    co_return answer{1};
}

async<answer> maintenance_methods::list_calendars(call /*asked*/) {
    CO_TRY(const auto now, current());
    value::list labels;
    for (const auto& [label, kept] : now->calendars) labels.emplace_back(label);
    co_return answer{std::move(labels)};
}

async<answer> maintenance_methods::calendar_details(call call) {
    CO_TRY(auto response, co_await calendar_told(call.text("label")));
    co_return answer{std::move(response)};
}

async<answer> maintenance_methods::create_calendar(call call) {
    json::object body{{"label", call.text("label")}};
    if (const auto* const given = call.arguments().find("ical"))
        body["text"] = *given->get<std::string>();
    if (const auto* const given = call.arguments().find("url"))
        body["url"] = *given->get<std::string>();
    CO_CHECK_OK(
        co_await deps_.actions.around().natives.ask(call, "calendars.add", std::move(body)));
    CO_TRY(auto response, co_await calendar_told(call.text("label")));
    co_return answer{std::move(response)};
}

std::vector<std::string> maintenance_methods::schedules_with(const std::string& label) const {
    std::vector<std::string> names;
    const auto now = deps_.windows.current();
    if (!now) return names;
    for (const auto& [name, kept] : now->maintenance)
        if (kept.stored.calendar == label) names.push_back(name);
    return names;
}

async<answer> maintenance_methods::update_calendar(call call) {
    const auto& label = call.text("label");
    CO_CHECK_OK(check_members(call, "details", {"ical", "url"}));
    json::object body{{"name", label}};
    if (const auto text = detail(call, "ical")) body["text"] = *text;
    if (const auto url = detail(call, "url")) body["url"] = *url;
    changed changed{
        .strategies = joined(call, "rescheduleStrategy"), .schedules = {}, .outcome = {}};
    changed.schedules = schedules_with(label);
    body["resolve_strategy"] = changed.strategies;
    changed.outcome =
        co_await deps_.actions.around().natives.ask(call, "calendars.replace", std::move(body));
    co_return co_await rescheduled(std::move(call), std::move(changed));
}

async<answer> maintenance_methods::refresh_calendar(call call) {
    const auto& label = call.text("label");
    changed changed{
        .strategies = joined(call, "rescheduleStrategy"), .schedules = {}, .outcome = {}};
    changed.schedules = schedules_with(label);
    json::object body{{"name", label}, {"resolve_strategy", changed.strategies}};
    changed.outcome =
        co_await deps_.actions.around().natives.ask(call, "calendars.refresh", std::move(body));
    co_return co_await rescheduled(std::move(call), std::move(changed));
}

// Its schedules keep their type, and have no windows until they get another calendar.
async<answer> maintenance_methods::delete_calendar(call call) {
    const auto& label = call.text("label");
    const auto& natives = deps_.actions.around().natives;
    CO_CHECK_OK(co_await calendar_told(label));
    const std::string strategy = call.flag("cancelScheduledActions") ? "Cancel" : "Fail";
    value::list list;
    for (const auto& each : schedules_with(label)) {
        changed changed{.strategies = strategy, .schedules = {each}, .outcome = {}};
        json::object body{{"name", each}, {"calendar", ""}, {"resolve_strategy", strategy}};
        changed.outcome = co_await natives.ask(call, "windows.change", std::move(body));
        const bool done = changed.outcome.has_value();
        CO_TRY(auto one, co_await rescheduled(call, std::move(changed)));
        list.push_back(std::move(one.content.get<value::list>()->front()));
        if (!done) co_return answer{std::move(list)};
        call.set_partly_done();
    }
    json::object body{{"name", label}};
    CO_CHECK_OK(co_await natives.ask(call, "calendars.remove", std::move(body)));
    co_return answer{std::move(list)};
}

async<value> maintenance_methods::action_told(call call, std::string job) const {
    const auto& deps = deps_.actions.around();
    CO_TRY(auto stored, co_await deps.reader.find(job));
    std::vector<jobs::stored_job> stored_jobs;
    stored_jobs.push_back(std::move(stored));
    CO_TRY(const auto existing, co_await deps_.actions.number_all(std::move(stored_jobs)));
    const auto& record = existing.front().job.record;
    value::list systems;
    auto reading = deps.reader.records().audience(record.job);
    CO_TRY(const auto who, co_await within(deps.clock, engine_timeout, std::move(reading)));
    const auto reach = deps.targets.reach_of(call.zones(), who.targets);
    for (const auto each : reach.page(system_number(0), systems_of_action_max))
        systems.emplace_back(each.value());
    co_return value(value::record{
        {"id", existing.front().known.number},
        {"name", action_name(record)},
        {"type", action_type(record.spec.function)},
        {"scheduler", record.spec.by},
        {"earliest", earliest_start(record)},
        {"affected_system_ids", std::move(systems)},
        {"details", record.spec.note}});
}

async<answer> maintenance_methods::rescheduled(call call, changed changed) const {
    // What may not stay is no failure of the call: the answer says that nothing was changed.
    const bool refused = !changed.outcome && changed.outcome.error().code() == errc::conflict;
    if (!changed.outcome && !refused) co_return fail(changed.outcome.error());
    if (changed.schedules.empty() && refused) co_return fail(changed.outcome.error());
    std::map<std::string, value::list> actions;
    if (!refused) {
        for (const auto& each : changed.outcome->at("replanned").as_array()) {
            if (each.at("verdict").as_string() == "kept") continue;
            auto job = json::value_to<std::string>(each.at("job"));
            CO_TRY(auto response, co_await action_told(call, std::move(job)));
            actions[json::value_to<std::string>(each.at("schedule"))].push_back(
                std::move(response));
        }
    }
    value::list all;
    for (const auto& each : changed.schedules)
        all.push_back(value::record{
            {"strategy", changed.strategies},
            {"for_schedule_name", each},
            {"status", !refused},
            {"message", refused ? changed.outcome.error().detail() : std::string()},
            {"actions", actions[each]}});
    co_return answer{std::move(all)};
}

result<void> maintenance_methods::nothing_planned(const std::vector<std::int64_t>& systems) const {
    const auto now = deps_.actions.around().clock.wall();
    for (const auto& each : deps_.open_jobs.all()) {
        const auto& spec = each->record.spec;
        const bool planned = heeds_windows(spec) && spec.not_before && *spec.not_before > now;
        if (!planned || !each->who) continue;
        const bool meant = std::ranges::any_of(systems, [&](std::int64_t system) {
            return each->who->targets.contains(system_number(system));
        });
        if (meant)
            return fail(
                errc::conflict,
                fmt::format(
                    "Job {} is planned for one of the systems; let it be taken back (Cancel)",
                    to_string(each->record.job)));
    }
    return {};
}

async<answer> maintenance_methods::assign(call call) {
    const auto systems = integers_of(call, "sids");
    if (!names_strategy(call, "Cancel")) {
        CO_CHECK_OK(nothing_planned(systems));
    }
    json::object body{{"name", call.text("scheduleName")}, {"systems", json::value_from(systems)}};
    CO_TRY(
        const auto done,
        co_await deps_.actions.around().natives.ask(call, "windows.assign", std::move(body)));
    call.set_subject(fmt::format("{} for {} systems", call.text("scheduleName"), systems.size()));
    co_return answer{done.at("systems").to_number<std::int64_t>()};
}

async<answer> maintenance_methods::retract(call call) {
    const auto systems = integers_of(call, "sids");
    json::object body{{"systems", json::value_from(systems)}};
    CO_TRY(
        const auto done,
        co_await deps_.actions.around().natives.ask(call, "windows.unassign", std::move(body)));
    call.set_subject(fmt::format("{} systems", systems.size()));
    co_return answer{done.at("systems").to_number<std::int64_t>()};
}

async<answer> maintenance_methods::list_systems(call call) {
    CO_TRY(const auto now, current());
    const auto& name = call.text("scheduleName");
    if (!now->maintenance.contains(name))
        co_return fail(errc::not_found, "There is no maintenance schedule " + name);
    co_return deps_.view.list(
        deps_.actions.around().targets.reach_of(call.zones(), now->systems_of(name)),
        [](const system_record& system) -> result<value> { return value(system.number.value()); });
}

}  // namespace muster::xmlrpc_api
