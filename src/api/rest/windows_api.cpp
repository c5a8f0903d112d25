#include "api/rest/windows_api.h"

#include "api/rest/windows_json.h"
#include "ports/deadline.h"
#include "services/windows/calendar_replacement.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using windows::record_kind;
using write_mode = windows::window_store::write_mode;

constexpr std::size_t failures_shown_max = 5;  // further ones are only counted

result<windows::stored_calendar> read_calendar(const call& call) {
    const auto text = call.optional_text("text").value_or("");
    const auto url = call.optional_text("url").value_or("");
    if (text.empty() == url.empty())
        return fail(errc::invalid, "exactly one of `text` and `url` is required");
    return windows::stored_calendar{.url = url, .text = text};
}

std::string read_strategies(const call& call) {
    return call.optional_text("resolve_strategy")
        .value_or(std::string(windows::default_strategies));
}

json::array to_json(const std::vector<replaced_job>& jobs) {
    json::array response;
    for (const auto& job : jobs) {
        json::array replacements;
        for (const auto& replacement : job.replacements) replacements.emplace_back(replacement);
        json::object item{{"job", job.job}, {"goes_on_as", std::move(replacements)}};
        if (!job.failure.empty()) item["failed"] = job.failure;
        response.push_back(std::move(item));
    }
    return response;
}

json::array to_json(const replanned_schedules& plans) {
    json::array response;
    for (const auto& [name, decisions] : plans)
        for (auto& decision : decisions_json(decisions)) {
            decision.as_object()["schedule"] = name;
            response.push_back(std::move(decision));
        }
    return response;
}

// Fails with the jobs that could not be moved.
result<void> check_all_moved(const result<std::vector<replaced_job>>& replaced) {
    if (!replaced) return fail(replaced.error());
    std::string failures;
    std::size_t count = 0;
    for (const auto& job : *replaced) {
        if (job.failure.empty() || ++count > failures_shown_max) continue;
        failures += (failures.empty() ? "job " : "; job ") + job.job + ": " + job.failure;
    }
    if (count == 0) return {};
    if (count > failures_shown_max)
        failures += fmt::format("; and {} more", count - failures_shown_max);
    return fail(errc::unavailable, failures);
}

}  // namespace

result<windows_api::snapshot_pointer> windows_api::current() const {
    auto snapshot = deps_.windows.current();
    if (!snapshot) return fail(errc::unavailable, "window cache is still loading; retry later");
    return snapshot;
}

// Fetches the calendar from its URL if it has no text.
async<windows::stored_calendar> windows_api::fetch_text(windows::stored_calendar calendar) {
    if (!calendar.text.empty()) co_return calendar;
    CO_TRY(calendar.text, co_await deps_.calendars.fetch(calendar.url));
    calendar.fetched = deps_.clock.wall();
    calendar.last_error.clear();
    co_return calendar;
}

async<reply> windows_api::add_calendar(call call) {
    CO_TRY(auto calendar, read_calendar(call));
    CO_TRY(auto fetched, co_await fetch_text(std::move(calendar)));
    auto label = call.text("label");
    call.set_subject(label);
    co_return co_await put_calendar(
        std::move(call),
        std::move(label),
        std::move(fetched),
        write_mode::create,
        std::string(windows::default_strategies));
}

async<reply> windows_api::replace_calendar(call call) {
    CO_TRY(auto calendar, read_calendar(call));
    CO_TRY(auto fetched, co_await fetch_text(std::move(calendar)));
    auto label = call.text("name");
    auto strategies = read_strategies(call);
    co_return co_await put_calendar(
        std::move(call),
        std::move(label),
        std::move(fetched),
        write_mode::replace,
        std::move(strategies));
}

async<reply> windows_api::refresh_calendar(call call) {
    CO_TRY(const auto snapshot, current());
    auto label = call.text("name");
    const auto it = snapshot->calendars.find(label);
    if (it == snapshot->calendars.end())
        co_return fail(errc::not_found, "calendar \"" + label + "\" not found");
    auto calendar = *it->second.stored;
    if (calendar.url.empty())
        co_return fail(errc::conflict, "calendar \"" + label + "\" has no URL to fetch from");
    calendar.text.clear();
    CO_TRY(calendar, co_await fetch_text(std::move(calendar)));
    auto strategies = read_strategies(call);
    co_return co_await put_calendar(
        std::move(call),
        std::move(label),
        std::move(calendar),
        write_mode::replace,
        std::move(strategies));
}

async<json::array> windows_api::apply_plans(
    call call, replanned_schedules plans, std::string changed_object) const {
    if (deps_.planned_jobs == nullptr) co_return json::array();
    auto work = deps_.planned_jobs->apply_decisions(std::move(plans), call.caller().user);
    const auto replaced = co_await within(deps_.clock, engine_timeout, std::move(work));
    if (const auto outcome = check_all_moved(replaced); !outcome) {
        call.set_partly_done();
        co_return fail(
            outcome.error().code(),
            fmt::format(
                "{} was saved, but some planned jobs were not moved: {}; repeat the request to "
                "move the remaining jobs",
                changed_object,
                outcome.error().detail()));
    }
    co_return to_json(*replaced);
}

async<reply> windows_api::put_calendar(
    call call,
    std::string label,
    windows::stored_calendar calendar,
    write_mode mode,
    std::string strategies) {
    const auto& user = call.caller().user;
    CO_TRY(const auto snapshot, current());
    CO_TRY(const auto parsed, windows::calendar::parse(calendar.text, deps_.windows.zones()));
    CO_TRY(
        auto plans,
        windows::replan_jobs(
            {.snapshot = *snapshot,
             .label = label,
             .replacement = parsed,
             .now = deps_.clock.wall()},
            strategies,
            deps_.planned_jobs));
    auto replanned = to_json(plans);
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        deps_.windows.put_calendar(label, std::move(calendar), mode, user)));
    auto pending_moves = apply_plans(call, std::move(plans), "calendar \"" + label + "\"");
    CO_TRY(auto replaced, co_await std::move(pending_moves));
    CO_TRY(const auto after, current());
    const auto stored = after->calendars.find(label);
    if (stored == after->calendars.end())
        co_return fail(errc::conflict, "calendar \"" + label + "\" was deleted concurrently");
    auto output = calendar_json(label, stored->second);
    output["replanned"] = std::move(replanned);
    output["replaced_jobs"] = std::move(replaced);
    co_return reply{std::move(output)};
}

async<reply> windows_api::remove_calendar(call call) {
    const auto& label = call.text("name");
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        deps_.windows.remove(record_kind::calendar, label, call.caller().user)));
    co_return reply{json::object{{"removed", label}}};
}

async<reply> windows_api::add_schedule(call call) {
    const auto& name = call.text("name");
    windows::maintenance_schedule_record maintenance_schedule;
    maintenance_schedule.type = call.text("type");
    maintenance_schedule.calendar = call.optional_text("calendar").value_or("");
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        deps_.windows.put_maintenance(
            name, std::move(maintenance_schedule), write_mode::create, call.caller().user)));
    CO_TRY(const auto snapshot, current());
    CO_TRY(auto output, schedule_json(*snapshot, name, deps_.clock.wall()));
    co_return reply{std::move(output)};
}

async<reply> windows_api::change_schedule(call call) {
    const auto& name = call.text("name");
    CO_TRY(const auto snapshot, current());
    const auto it = snapshot->maintenance.find(name);
    if (it == snapshot->maintenance.end())
        co_return fail(errc::not_found, "maintenance schedule \"" + name + "\" not found");
    auto schedule = it->second.stored;
    schedule.type = call.optional_text("type").value_or(schedule.type);
    // The type "none" removes the calendar, unless the call names one.
    const std::string kept_calendar = schedule.type == "none" ? "" : schedule.calendar;
    schedule.calendar = call.optional_text("calendar").value_or(kept_calendar);
    CO_TRY(const auto strategies, windows::parse_strategies(read_strategies(call)));
    windows::window_schedule window_schedule;
    const auto calendar = snapshot->calendars.find(schedule.calendar);
    if (calendar != snapshot->calendars.end())
        window_schedule = schedule.type == "multi" ? calendar->second.parsed->events_named(name)
                                                   : calendar->second.parsed->all_events();
    replanned_schedules plans;
    if (deps_.planned_jobs != nullptr) {
        const auto planned = deps_.planned_jobs->planned(name);
        CO_TRY(
            plans[name], windows::replan(planned, window_schedule, strategies, deps_.clock.wall()));
    }
    auto pending_write = deps_.windows.put_maintenance(
        name, std::move(schedule), write_mode::replace, call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(pending_write)));
    auto replanned = to_json(plans);
    auto pending_moves =
        apply_plans(call, std::move(plans), "maintenance schedule \"" + name + "\"");
    CO_TRY(auto replaced, co_await std::move(pending_moves));
    CO_TRY(const auto after, current());
    CO_TRY(auto output, schedule_json(*after, name, deps_.clock.wall()));
    output["replanned"] = std::move(replanned);
    output["replaced_jobs"] = std::move(replaced);
    co_return reply{std::move(output)};
}

async<reply> windows_api::remove_schedule(call call) {
    const auto& name = call.text("name");
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        deps_.windows.remove(record_kind::maintenance, name, call.caller().user)));
    co_return reply{json::object{{"removed", name}}};
}

async<reply> windows_api::assign(call call) {
    auto schedule = call.text("name");
    return assign_schedule(std::move(call), std::move(schedule));
}

async<reply> windows_api::unassign(call call) {
    return assign_schedule(std::move(call), "");
}

result<fleet::system_set> windows_api::find_systems(const call& call) const {
    const auto* const listed = call.arguments().find("systems");
    const auto query = call.optional_text("query");
    if (query.has_value() == (listed != nullptr))
        return fail(errc::invalid, "exactly one of `query` and `systems` is required");
    fleet::system_set systems;
    if (query) {
        TRY(systems, deps_.targets.resolve(*query));
    } else {
        for (const auto& item : *listed->get<api::value::list>()) {
            const system_number number(*item.get<std::int64_t>());
            const auto record = deps_.systems.find(number);
            const bool is_accepted = record && record->stage == enrolment::accepted;
            if (!is_accepted || !call.may_in(record->zone))
                return fail(
                    errc::not_found, fmt::format("system \"{}\" not found", number.value()));
            systems.add(number);
        }
    }
    if (call.zones()) systems = deps_.targets.among(*call.zones(), systems);
    return systems;
}

async<reply> windows_api::assign_schedule(call call, std::string schedule) {
    const auto& user = call.caller().user;
    CO_TRY(const auto systems, find_systems(call));
    const auto query = call.optional_text("query");
    call.set_subject(
        query ? fmt::format("{} query {}", schedule, *query)
              : fmt::format("{} for {} systems", schedule, systems.size()));
    CO_TRY(const auto before, current());
    // Systems that get another schedule lose jobs planned in the old schedule's windows.
    auto moved = schedule.empty() ? fleet::system_set() : systems - before->systems_of(schedule);
    CO_TRY(
        const auto had_another,
        co_await within(
            deps_.clock, engine_timeout, deps_.windows.assign(schedule, systems, user)));
    json::array cancelled;
    if (deps_.planned_jobs != nullptr && !moved.empty()) {
        auto work = deps_.planned_jobs->cancel(std::move(moved), user);
        const auto jobs = co_await within(deps_.clock, engine_timeout, std::move(work));
        if (const auto outcome = check_all_moved(jobs); !outcome) {
            call.set_partly_done();
            co_return fail(
                outcome.error().code(),
                fmt::format(
                    "maintenance schedule \"{}\" was assigned, but some planned jobs were not "
                    "cancelled: {}; check with: muster jobs",
                    schedule,
                    outcome.error().detail()));
        }
        cancelled = to_json(*jobs);
    }
    co_return reply{json::object{
        {"systems", systems.size()},
        {"had_another", had_another},
        {"cancelled_jobs", std::move(cancelled)}}};
}

async<reply> windows_api::set_policy(call call) {
    const bool allowed = call.flag("emergency_override");
    call.set_subject(allowed ? "override allowed" : "override disabled");
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        deps_.windows.put_policy({.emergency_override = allowed}, call.caller().user)));
    co_return reply{json::object{{"emergency_override", allowed}}};
}

}  // namespace muster::api
