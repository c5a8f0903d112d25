#include "api/xmlrpc/methods/maintenance_methods.h"

#include "ports/deadline.h"
#include "api/xmlrpc/methods/action_words.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using namespace api;
using cluster::numbered::calendar;
using cluster::numbered::maintenance;
using api::engine_patience;

std::string joined(const call& asked, std::string_view argument) {
    std::string made;
    for (const auto& each : *asked.arguments().find(argument)->get<value::list>()) {
        if (!made.empty()) made += ",";
        made += *each.get<std::string>();
    }
    return made.empty() ? "Fail" : made;
}

bool names_strategy(const call& asked, std::string_view wanted) {
    const auto& all = *asked.arguments().find("rescheduleStrategy")->get<value::list>();
    return std::ranges::any_of(
        all, [&](const value& each) { return *each.get<std::string>() == wanted; });
}

// A member of the argument `details`, if it is a text.
std::optional<std::string> detail(const call& asked, std::string_view name) {
    const auto* const found = asked.arguments().find("details")->find(name);
    const auto* const given = found == nullptr ? nullptr : found->get<std::string>();
    return given == nullptr ? std::nullopt : std::optional(*given);
}

}  // namespace

result<maintenance_methods::view> maintenance_methods::current() const {
    auto now = around_.book.current();
    if (!now) return fail(errc::unavailable, "the server is still reading the windows");
    return now;
}

async<std::int64_t> maintenance_methods::number(std::string_view kind, std::string name) const {
    const auto& around = around_.actions.around();
    auto asking = around.numbers.number(std::string(kind), std::move(name));
    CO_TRY(const auto known, co_await within(around.time, engine_patience, std::move(asking)));
    co_return known.number;
}

async<value> maintenance_methods::calendar_told(std::string label) const {
    CO_TRY(const auto now, current());
    const auto found = now->calendars.find(label);
    if (found == now->calendars.end())
        co_return fail(errc::not_found, "There is no maintenance calendar " + label);
    CO_TRY(const auto id, co_await number(calendar, label));
    value::record told{{"id", id}, {"orgId", 1}, {"label", label}};
    const auto& stored = *found->second.stored;
    if (!stored.url.empty()) told.push_back({"url", stored.url});
    told.push_back({"ical", stored.text});
    co_return value(std::move(told));
}

async<value> maintenance_methods::schedule_told(std::string name) const {
    CO_TRY(const auto now, current());
    const auto found = now->maintenance.find(name);
    if (found == now->maintenance.end())
        co_return fail(errc::not_found, "There is no maintenance schedule " + name);
    CO_TRY(const auto id, co_await number(maintenance, name));
    const auto& stored = found->second.stored;
    value::record told{{"id", id}, {"orgId", 1}, {"name", name}, {"type", stored.type}};
    if (!stored.calendar.empty()) {
        CO_TRY(auto with, co_await calendar_told(stored.calendar));
        told.push_back({"calendar", std::move(with)});
    }
    co_return value(std::move(told));
}

async<answer> maintenance_methods::list_schedules(call /*asked*/) {
    CO_TRY(const auto now, current());
    value::list names;
    for (const auto& [name, kept] : now->maintenance) names.emplace_back(name);
    co_return answer{std::move(names)};
}

async<answer> maintenance_methods::schedule_details(call asked) {
    CO_TRY(auto told, co_await schedule_told(asked.text("name")));
    co_return answer{std::move(told)};
}

async<answer> maintenance_methods::create_schedule(call asked) {
    json::object body{{"name", asked.text("name")}, {"type", asked.text("type")}};
    if (const auto* const with = asked.arguments().find("calendar"))
        body["calendar"] = *with->get<std::string>();
    CO_CHECK_OK(
        co_await around_.actions.around().natives.ask(asked, "windows.add", std::move(body)));
    CO_TRY(auto told, co_await schedule_told(asked.text("name")));
    co_return answer{std::move(told)};
}

async<answer> maintenance_methods::update_schedule(call asked) {
    CO_CHECK_OK(check_members(asked, "details", {"type", "calendar"}));
    json::object body{{"name", asked.text("name")}};
    if (const auto type = detail(asked, "type")) body["type"] = *type;
    if (const auto with = detail(asked, "calendar")) body["calendar"] = *with;
    changed what{.strategies = joined(asked, "rescheduleStrategy"), .schedules = {}, .outcome = {}};
    what.schedules.push_back(asked.text("name"));
    body["resolve_strategy"] = what.strategies;
    what.outcome =
        co_await around_.actions.around().natives.ask(asked, "windows.change", std::move(body));
    CO_TRY(auto told, co_await rescheduled(asked, std::move(what)));
    co_return answer{told.content.get<value::list>()->front()};
}

async<answer> maintenance_methods::delete_schedule(call asked) {
    json::object body{{"name", asked.text("name")}};
    CO_CHECK_OK(
        co_await around_.actions.around().natives.ask(asked, "windows.remove", std::move(body)));
    co_return answer{1};
}

async<answer> maintenance_methods::list_calendars(call /*asked*/) {
    CO_TRY(const auto now, current());
    value::list labels;
    for (const auto& [label, kept] : now->calendars) labels.emplace_back(label);
    co_return answer{std::move(labels)};
}

async<answer> maintenance_methods::calendar_details(call asked) {
    CO_TRY(auto told, co_await calendar_told(asked.text("label")));
    co_return answer{std::move(told)};
}

async<answer> maintenance_methods::create_calendar(call asked) {
    json::object body{{"label", asked.text("label")}};
    if (const auto* const given = asked.arguments().find("ical"))
        body["text"] = *given->get<std::string>();
    if (const auto* const given = asked.arguments().find("url"))
        body["url"] = *given->get<std::string>();
    CO_CHECK_OK(
        co_await around_.actions.around().natives.ask(asked, "calendars.add", std::move(body)));
    CO_TRY(auto told, co_await calendar_told(asked.text("label")));
    co_return answer{std::move(told)};
}

std::vector<std::string> maintenance_methods::schedules_with(const std::string& label) const {
    std::vector<std::string> names;
    const auto now = around_.book.current();
    if (!now) return names;
    for (const auto& [name, kept] : now->maintenance)
        if (kept.stored.calendar == label) names.push_back(name);
    return names;
}

async<answer> maintenance_methods::update_calendar(call asked) {
    const auto& label = asked.text("label");
    CO_CHECK_OK(check_members(asked, "details", {"ical", "url"}));
    json::object body{{"name", label}};
    if (const auto text = detail(asked, "ical")) body["text"] = *text;
    if (const auto url = detail(asked, "url")) body["url"] = *url;
    changed what{.strategies = joined(asked, "rescheduleStrategy"), .schedules = {}, .outcome = {}};
    what.schedules = schedules_with(label);
    body["resolve_strategy"] = what.strategies;
    what.outcome =
        co_await around_.actions.around().natives.ask(asked, "calendars.replace", std::move(body));
    co_return co_await rescheduled(std::move(asked), std::move(what));
}

async<answer> maintenance_methods::refresh_calendar(call asked) {
    const auto& label = asked.text("label");
    changed what{.strategies = joined(asked, "rescheduleStrategy"), .schedules = {}, .outcome = {}};
    what.schedules = schedules_with(label);
    json::object body{{"name", label}, {"resolve_strategy", what.strategies}};
    what.outcome =
        co_await around_.actions.around().natives.ask(asked, "calendars.refresh", std::move(body));
    co_return co_await rescheduled(std::move(asked), std::move(what));
}

// Its schedules keep their type, and have no windows until they get another calendar.
async<answer> maintenance_methods::delete_calendar(call asked) {
    const auto& label = asked.text("label");
    const auto& natives = around_.actions.around().natives;
    CO_CHECK_OK(co_await calendar_told(label));
    const std::string strategy = asked.flag("cancelScheduledActions") ? "Cancel" : "Fail";
    value::list told;
    for (const auto& each : schedules_with(label)) {
        changed what{.strategies = strategy, .schedules = {each}, .outcome = {}};
        json::object body{{"name", each}, {"calendar", ""}, {"resolve_strategy", strategy}};
        what.outcome = co_await natives.ask(asked, "windows.change", std::move(body));
        const bool done = what.outcome.has_value();
        CO_TRY(auto one, co_await rescheduled(asked, std::move(what)));
        told.push_back(std::move(one.content.get<value::list>()->front()));
        if (!done) co_return answer{std::move(told)};
        asked.set_partly_done();
    }
    json::object body{{"name", label}};
    CO_CHECK_OK(co_await natives.ask(asked, "calendars.remove", std::move(body)));
    co_return answer{std::move(told)};
}

async<value> maintenance_methods::action_told(call asked, std::string job) const {
    const auto& around = around_.actions.around();
    CO_TRY(auto stored, co_await around.reads.find(job));
    std::vector<jobs::stored_job> one;
    one.push_back(std::move(stored));
    CO_TRY(const auto known, co_await around_.actions.number_all(std::move(one)));
    const auto& record = known.front().job.record;
    value::list systems;
    auto reading = around.reads.records().audience(record.job);
    CO_TRY(const auto who, co_await within(around.time, engine_patience, std::move(reading)));
    const auto seen = around.targets.reach_of(asked, who.targets);
    for (const auto each : seen.page(system_number(0), systems_of_action_max))
        systems.emplace_back(each.value());
    co_return value(value::record{
        {"id", known.front().known.number},
        {"name", action_name(record)},
        {"type", action_type(record.spec.function)},
        {"scheduler", record.spec.by},
        {"earliest", earliest_start(record)},
        {"affected_system_ids", std::move(systems)},
        {"details", record.spec.note}});
}

async<answer> maintenance_methods::rescheduled(call asked, changed what) const {
    // What may not stay is no failure of the call: the answer says that nothing was changed.
    const bool refused = !what.outcome && what.outcome.error().code() == errc::conflict;
    if (!what.outcome && !refused) co_return fail(what.outcome.error());
    if (what.schedules.empty() && refused) co_return fail(what.outcome.error());
    std::map<std::string, value::list> actions;
    if (!refused) {
        for (const auto& each : what.outcome->at("replanned").as_array()) {
            if (each.at("verdict").as_string() == "kept") continue;
            auto job = json::value_to<std::string>(each.at("job"));
            CO_TRY(auto told, co_await action_told(asked, std::move(job)));
            actions[json::value_to<std::string>(each.at("schedule"))].push_back(std::move(told));
        }
    }
    value::list all;
    for (const auto& each : what.schedules)
        all.push_back(value::record{
            {"strategy", what.strategies},
            {"for_schedule_name", each},
            {"status", !refused},
            {"message", refused ? what.outcome.error().detail() : std::string()},
            {"actions", actions[each]}});
    co_return answer{std::move(all)};
}

result<void> maintenance_methods::nothing_planned(const std::vector<std::int64_t>& systems) const {
    const auto now = around_.actions.around().time.wall();
    for (const auto& each : around_.open.all()) {
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

async<answer> maintenance_methods::assign(call asked) {
    const auto systems = integers_of(asked, "sids");
    if (!names_strategy(asked, "Cancel")) {
        CO_CHECK_OK(nothing_planned(systems));
    }
    json::object body{{"name", asked.text("scheduleName")}, {"systems", json::value_from(systems)}};
    CO_TRY(
        const auto done,
        co_await around_.actions.around().natives.ask(asked, "windows.assign", std::move(body)));
    asked.set_subject(fmt::format("{} for {} systems", asked.text("scheduleName"), systems.size()));
    co_return answer{done.at("systems").to_number<std::int64_t>()};
}

async<answer> maintenance_methods::retract(call asked) {
    const auto systems = integers_of(asked, "sids");
    json::object body{{"systems", json::value_from(systems)}};
    CO_TRY(
        const auto done,
        co_await around_.actions.around().natives.ask(asked, "windows.unassign", std::move(body)));
    asked.set_subject(fmt::format("{} systems", systems.size()));
    co_return answer{done.at("systems").to_number<std::int64_t>()};
}

async<answer> maintenance_methods::list_systems(call asked) {
    CO_TRY(const auto now, current());
    const auto& name = asked.text("scheduleName");
    if (!now->maintenance.contains(name))
        co_return fail(errc::not_found, "There is no maintenance schedule " + name);
    co_return around_.view.list(
        around_.actions.around().targets.reach_of(asked, now->systems_of(name)),
        [](const system_record& each) -> result<value> { return value(each.number.value()); });
}

}  // namespace muster::xmlrpc_api
