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
using writing = windows::window_store::writing;

constexpr std::size_t failures_told = 5;  // the others are counted

result<windows::stored_calendar> read_calendar(const call& call) {
    const auto text = call.optional_text("text").value_or("");
    const auto url = call.optional_text("url").value_or("");
    if (text.empty() == url.empty())
        return fail(errc::invalid, "a calendar has either its `text` or a `url`");
    return windows::stored_calendar{.url = url, .text = text};
}

std::string strategies_of(const call& call) {
    return call.optional_text("resolve_strategy")
        .value_or(std::string(windows::default_strategies));
}

json::array told_of(const std::vector<replaced_job>& jobs) {
    json::array response;
    for (const auto& each : jobs) {
        json::array by;
        for (const auto& part : each.by) by.emplace_back(part);
        json::object one{{"job", each.job}, {"goes_on_as", std::move(by)}};
        if (!each.failed.empty()) one["failed"] = each.failed;
        response.push_back(std::move(one));
    }
    return response;
}

json::array told_of(const replanned_schedules& plans) {
    json::array response;
    for (const auto& [name, some] : plans)
        for (auto& each : json_of(some)) {
            each.as_object()["schedule"] = name;
            response.push_back(std::move(each));
        }
    return response;
}

// Which jobs stayed as they were although they could not.
result<void> all_went_well(const result<std::vector<replaced_job>>& done) {
    if (!done) return fail(done.error());
    std::string name;
    std::size_t count = 0;
    for (const auto& each : *done) {
        if (each.failed.empty() || ++count > failures_told) continue;
        name += (name.empty() ? "job " : "; job ") + each.job + ": " + each.failed;
    }
    if (count == 0) return {};
    if (count > failures_told) name += fmt::format("; and {} more", count - failures_told);
    return fail(errc::unavailable, name);
}

}  // namespace

result<windows_api::view> windows_api::current() const {
    auto now = deps_.windows.current();
    if (!now) return fail(errc::unavailable, "the server is still reading the windows");
    return now;
}

// What is behind its address, if it has no text yet.
async<windows::stored_calendar> windows_api::with_text(windows::stored_calendar stored_calendar) {
    if (!stored_calendar.text.empty()) co_return stored_calendar;
    CO_TRY(stored_calendar.text, co_await deps_.calendars.fetch(stored_calendar.url));
    stored_calendar.fetched = deps_.clock.wall();
    stored_calendar.last_error.clear();
    co_return stored_calendar;
}

async<reply> windows_api::add_calendar(call call) {
    CO_TRY(auto calendar, read_calendar(call));
    CO_TRY(auto what, co_await with_text(std::move(calendar)));
    auto label = call.text("label");
    call.set_subject(label);
    co_return co_await put_calendar(
        std::move(call),
        std::move(label),
        std::move(what),
        writing::new_one,
        std::string(windows::default_strategies));
}

async<reply> windows_api::replace_calendar(call call) {
    CO_TRY(auto calendar, read_calendar(call));
    CO_TRY(auto what, co_await with_text(std::move(calendar)));
    auto label = call.text("name");
    auto strategies = strategies_of(call);
    co_return co_await put_calendar(
        std::move(call),
        std::move(label),
        std::move(what),
        writing::replacement,
        std::move(strategies));
}

async<reply> windows_api::refresh_calendar(call call) {
    CO_TRY(const auto now, current());
    auto label = call.text("name");
    const auto it = now->calendars.find(label);
    if (it == now->calendars.end())
        co_return fail(errc::not_found, "there is no calendar " + label);
    auto what = *it->second.stored;
    if (what.url.empty())
        co_return fail(errc::conflict, "the calendar was uploaded; it has no address to ask");
    what.text.clear();
    CO_TRY(what, co_await with_text(std::move(what)));
    auto strategies = strategies_of(call);
    co_return co_await put_calendar(
        std::move(call),
        std::move(label),
        std::move(what),
        writing::replacement,
        std::move(strategies));
}

async<json::array> windows_api::carry_out(
    call call, replanned_schedules plans, std::string in_force) const {
    if (deps_.planned == nullptr) co_return json::array();
    auto work = deps_.planned->carry_out(std::move(plans), call.who().user);
    const auto done = co_await within(deps_.clock, engine_timeout, std::move(work));
    if (const auto moved = all_went_well(done); !moved) {
        call.set_partly_done();
        co_return fail(
            moved.error().code(),
            fmt::format(
                "{} is in force, but not everything that is planned was moved: {}; the same "
                "request again moves the rest",
                in_force,
                moved.error().detail()));
    }
    co_return told_of(*done);
}

async<reply> windows_api::put_calendar(
    call call,
    std::string label,
    windows::stored_calendar stored_calendar,
    writing writing,
    std::string strategies) {
    const auto& by = call.who().user;
    CO_TRY(const auto now, current());
    CO_TRY(const auto read, windows::calendar::parse(stored_calendar.text, deps_.windows.zones()));
    CO_TRY(
        auto plans,
        windows::replan_for(
            {.now = *now, .label = label, .with = read, .at = deps_.clock.wall()},
            strategies,
            deps_.planned));
    auto output = told_of(plans);
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        deps_.windows.put_calendar(label, std::move(stored_calendar), writing, by)));
    auto moving = carry_out(call, std::move(plans), "the calendar " + label);
    CO_TRY(auto replaced, co_await std::move(moving));
    CO_TRY(const auto after, current());
    const auto stands = after->calendars.find(label);
    if (stands == after->calendars.end())
        co_return fail(errc::conflict, "somebody removed it at the same time");
    auto answered = calendar_json(label, stands->second);
    answered["replanned"] = std::move(output);
    answered["replaced_jobs"] = std::move(replaced);
    co_return reply{std::move(answered)};
}

async<reply> windows_api::remove_calendar(call call) {
    const auto& label = call.text("name");
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        deps_.windows.remove(record_kind::calendar, label, call.who().user)));
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
            name, std::move(maintenance_schedule), writing::new_one, call.who().user)));
    CO_TRY(const auto now, current());
    CO_TRY(auto output, schedule_json(*now, name, deps_.clock.wall()));
    co_return reply{std::move(output)};
}

async<reply> windows_api::change_schedule(call call) {
    const auto& name = call.text("name");
    CO_TRY(const auto now, current());
    const auto it = now->maintenance.find(name);
    if (it == now->maintenance.end())
        co_return fail(errc::not_found, "there is no maintenance schedule " + name);
    auto what = it->second.stored;
    what.type = call.optional_text("type").value_or(what.type);
    // Being of the type none takes its calendar away; a calendar that is asked for is never
    // dropped.
    const std::string left = what.type == "none" ? "" : what.calendar;
    what.calendar = call.optional_text("calendar").value_or(left);
    CO_TRY(const auto order, windows::parse_strategies(strategies_of(call)));
    windows::timetable when;
    const auto calendar = now->calendars.find(what.calendar);
    if (calendar != now->calendars.end())
        when = what.type == "multi" ? calendar->second.read->named(name)
                                    : calendar->second.read->whole();
    replanned_schedules plans;
    if (deps_.planned != nullptr) {
        const auto planned = deps_.planned->planned(name);
        CO_TRY(plans[name], windows::replan(planned, when, order, deps_.clock.wall()));
    }
    auto writing_it =
        deps_.windows.put_maintenance(name, std::move(what), writing::replacement, call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(writing_it)));
    auto replanned = told_of(plans);
    auto moving = carry_out(call, std::move(plans), "the schedule " + name);
    CO_TRY(auto replaced, co_await std::move(moving));
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
        deps_.windows.remove(record_kind::maintenance, name, call.who().user)));
    co_return reply{json::object{{"removed", name}}};
}

async<reply> windows_api::assign(call call) {
    auto schedule = call.text("name");
    return assigned(std::move(call), std::move(schedule));
}

async<reply> windows_api::unassign(call call) {
    return assigned(std::move(call), "");
}

result<fleet::system_set> windows_api::systems_meant(const call& call) const {
    const auto* const listed = call.arguments().find("systems");
    const auto query = call.optional_text("query");
    if (query.has_value() == (listed != nullptr))
        return fail(errc::invalid, "say which systems: either `query` or `systems`");
    fleet::system_set meant;
    if (query) {
        TRY(meant, deps_.targets.resolve(*query));
    } else {
        for (const auto& each : *listed->get<api::value::list>()) {
            const system_number number(*each.get<std::int64_t>());
            const auto match = deps_.systems.find(number);
            const bool there = match && match->stage == enrolment::accepted;
            if (!there || !call.may_in(match->zone))
                return fail(errc::not_found, fmt::format("there is no system {}", number.value()));
            meant.add(number);
        }
    }
    if (call.zones()) meant = deps_.targets.among(*call.zones(), meant);
    return meant;
}

async<reply> windows_api::assigned(call call, std::string schedule) {
    const auto& by = call.who().user;
    CO_TRY(const auto meant, systems_meant(call));
    const auto query = call.optional_text("query");
    call.set_subject(
        query ? fmt::format("{} query {}", schedule, *query)
              : fmt::format("{} for {} systems", schedule, meant.size()));
    CO_TRY(const auto before, current());
    // Those that get another schedule lose what is planned within the windows of the old one.
    auto changing = schedule.empty() ? fleet::system_set() : meant - before->systems_of(schedule);
    CO_TRY(
        const auto had_another,
        co_await within(deps_.clock, engine_timeout, deps_.windows.assign(schedule, meant, by)));
    json::array cancelled;
    if (deps_.planned != nullptr && !changing.empty()) {
        auto work = deps_.planned->cancel(std::move(changing), by);
        const auto jobs = co_await within(deps_.clock, engine_timeout, std::move(work));
        if (const auto taken_back = all_went_well(jobs); !taken_back) {
            call.set_partly_done();
            co_return fail(
                taken_back.error().code(),
                fmt::format(
                    "the systems have the schedule {}, but not everything that was planned for "
                    "them was taken back: {}; look at it with: muster jobs",
                    schedule,
                    taken_back.error().detail()));
        }
        cancelled = told_of(*jobs);
    }
    co_return reply{json::object{
        {"systems", meant.size()},
        {"had_another", had_another},
        {"cancelled_jobs", std::move(cancelled)}}};
}

async<reply> windows_api::set_policy(call call) {
    const bool allowed = call.flag("emergency_override");
    call.set_subject(allowed ? "override allowed" : "override disabled");
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        deps_.windows.put_policy({.emergency_override = allowed}, call.who().user)));
    co_return reply{json::object{{"emergency_override", allowed}}};
}

}  // namespace muster::api
