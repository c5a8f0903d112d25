#include "roles/gateway/windows_api.h"

#include "ports/deadline.h"
#include "roles/gateway/calendar_fetch.h"
#include "roles/gateway/json_body.h"
#include "roles/gateway/windows_json.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;
using windows::record_kind;
using writing = windows::window_book::writing;

constexpr std::size_t calendar_body_bytes_max = std::size_t{4} << 20;
constexpr std::size_t body_bytes_max = 64 * std::size_t{1024};
constexpr auto usual_strategies = "Fail";
constexpr std::size_t failures_told = 5;  // the others are counted

http::response told(unsigned status, const json::value& what) {
    return no_store(http::json(status, json::serialize(what)));
}

result<windows::stored_calendar> read_calendar(json_body& body) {
    TRY(const auto text, body.optional_text("text"));
    TRY(const auto url, body.optional_text("url"));
    const bool has_text = text && !text->empty();
    const bool has_url = url && !url->empty();
    if (has_text == has_url)
        return fail(errc::invalid, "a calendar has either its `text` or a `url`");
    return windows::stored_calendar{.url = url.value_or(""), .text = text.value_or("")};
}

json::array told_of(const std::vector<replaced_job>& jobs) {
    json::array told;
    for (const auto& each : jobs) {
        json::array by;
        for (const auto& part : each.by) by.emplace_back(part);
        json::object one{{"job", each.job}, {"goes_on_as", std::move(by)}};
        if (!each.failed.empty()) one["failed"] = each.failed;
        told.push_back(std::move(one));
    }
    return told;
}

// Which jobs stayed as they were although they could not.
result<void> all_went_well(const result<std::vector<replaced_job>>& done) {
    if (!done) return fail(done.error());
    std::string which;
    std::size_t count = 0;
    for (const auto& each : *done) {
        if (each.failed.empty() || ++count > failures_told) continue;
        which += (which.empty() ? "job " : "; job ") + each.job + ": " + each.failed;
    }
    if (count == 0) return {};
    if (count > failures_told) which += fmt::format("; and {} more", count - failures_told);
    return fail(errc::unavailable, which);
}

template <class T>
result<void> outcome_of(const result<T>& done) {
    if (done) return {};
    return fail(done.error());
}

}  // namespace

windows_api::answer windows_api::settled(answer work) {
    auto done = co_await std::move(work);
    if (!done) co_return refused(done.error());
    co_return done;
}

http::handler windows_api::calling(answer (windows_api::*method)(request)) {
    return [this, method](http::request asked) {
        return settled((this->*method)(std::move(asked)));
    };
}

result<void> windows_api::add_routes(http::router& routes) {
    const std::string root = "/api/v1/windows";
    const std::string calendars = root + "/calendars";
    const std::string schedules = root + "/schedules";
    struct known_route {
        const char* method;
        std::string path;
        answer (windows_api::*handle)(request);
        std::size_t body_bytes = body_bytes_max;
    };
    const std::vector<known_route> all{
        {"GET", root, &windows_api::list_schedules},
        {"GET", calendars, &windows_api::list_calendars},
        {"POST", calendars, &windows_api::add_calendar, calendar_body_bytes_max},
        {"GET", calendars + "/{name}", &windows_api::show_calendar},
        {"PUT", calendars + "/{name}", &windows_api::replace_calendar, calendar_body_bytes_max},
        {"DELETE", calendars + "/{name}", &windows_api::remove_calendar},
        {"POST", calendars + "/{name}/refresh", &windows_api::refresh_calendar},
        {"GET", schedules, &windows_api::list_schedules},
        {"POST", schedules, &windows_api::add_schedule},
        {"GET", schedules + "/{name}", &windows_api::show_schedule},
        {"DELETE", schedules + "/{name}", &windows_api::remove_schedule},
        {"GET", schedules + "/{name}/times", &windows_api::times},
        {"POST", schedules + "/{name}/assign", &windows_api::assign},
        {"POST", root + "/unassign", &windows_api::unassign},
        {"GET", root + "/systems", &windows_api::list_systems},
        {"GET", root + "/policy", &windows_api::show_policy},
        {"PUT", root + "/policy", &windows_api::set_policy}};
    for (const auto& each : all) {
        CHECK_OK(routes.add(
            each.method,
            each.path,
            {.handle = calling(each.handle), .body_bytes_max = each.body_bytes}));
    }
    return {};
}

result<windows_api::view> windows_api::current() const {
    auto now = around_.book.current();
    if (!now) return fail(errc::unavailable, "the server is still reading the windows");
    return now;
}

async<void> windows_api::recorded(
    visitor who, std::string what, std::string detail, result<void> outcome) {
    deed done{
        .who = who.user,
        .what = std::move(what),
        .origin = who.origin,
        .outcome = outcome ? "done" : "refused",
        .detail = outcome ? detail : detail + ": " + outcome.error().detail()};
    const auto written =
        co_await within(around_.time, engine_patience, who.desk->audit.record(std::move(done)));
    if (!outcome) co_return outcome;
    co_return written;
}

// What is behind its address, if it has no text yet.
async<windows::stored_calendar> windows_api::with_text(windows::stored_calendar what) {
    if (!what.text.empty()) co_return what;
    calendar_source from{.url = what.url, .authorities = around_.authorities};
    CO_TRY(what.text, co_await fetch_calendar(around_.time, std::move(from)));
    what.fetched = around_.time.wall();
    what.last_error.clear();
    co_return what;
}

windows_api::answer windows_api::add_calendar(request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto label, body.text("label"));
    CO_TRY(auto given, read_calendar(body));
    CO_CHECK_OK(body.finish());
    CO_TRY(auto what, co_await with_text(std::move(given)));
    co_return co_await put_calendar(
        std::move(who), label, std::move(what), writing::new_one, usual_strategies);
}

windows_api::answer windows_api::replace_calendar(request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto strategies, body.optional_text("resolve_strategy"));
    CO_TRY(auto given, read_calendar(body));
    CO_CHECK_OK(body.finish());
    CO_TRY(auto what, co_await with_text(std::move(given)));
    co_return co_await put_calendar(
        std::move(who),
        asked.captured("name"),
        std::move(what),
        writing::replacement,
        strategies.value_or(usual_strategies));
}

windows_api::answer windows_api::refresh_calendar(request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto strategies, body.optional_text("resolve_strategy"));
    CO_CHECK_OK(body.finish());
    CO_TRY(const auto now, current());
    const std::string label = asked.captured("name");
    const auto found = now->calendars.find(label);
    if (found == now->calendars.end())
        co_return fail(errc::not_found, "there is no calendar " + label);
    auto what = *found->second.stored;
    if (what.url.empty())
        co_return fail(errc::conflict, "the calendar was uploaded; it has no address to ask");
    what.text.clear();
    CO_TRY(what, co_await with_text(std::move(what)));
    co_return co_await put_calendar(
        std::move(who),
        label,
        std::move(what),
        writing::replacement,
        strategies.value_or(usual_strategies));
}

// What is planned in the windows of the schedules that use this calendar, by the new one.
result<replanned_schedules> windows_api::replanned_by(
    const windows::window_view& now,
    const std::string& label,
    const windows::calendar& with,
    const std::string& strategies) const {
    TRY(const auto order, windows::parse_strategies(strategies));
    replanned_schedules all;
    if (!around_.planned.planned) return all;
    for (const auto& [name, kept] : now.maintenance) {
        if (kept.stored.calendar != label) continue;
        const auto when = kept.stored.type == "multi" ? with.named(name) : with.whole();
        const auto plans = around_.planned.planned(name);
        TRY(all[name], windows::replan(plans, when, order, around_.time.wall()));
    }
    return all;
}

result<void> windows_api::keeps_planned(
    const std::string& label, const windows::calendar& with) const {
    TRY(const auto now, current());
    const auto plans = replanned_by(*now, label, with, usual_strategies);
    if (!plans) return fail(plans.error());
    return {};
}

windows_api::answer windows_api::put_calendar(
    visitor who,
    std::string label,
    windows::stored_calendar what,
    writing how,
    std::string strategies) {
    CO_TRY(const auto now, current());
    CO_TRY(const auto read, windows::calendar::parse(what.text, around_.book.zones()));
    CO_TRY(auto plans, replanned_by(*now, label, read, strategies));
    json::array shown;
    for (const auto& [name, some] : plans)
        for (auto& each : json_of(some)) shown.push_back(std::move(each));
    const auto put = co_await within(
        around_.time,
        engine_patience,
        around_.book.put_calendar(label, std::move(what), how, who.user));
    result<void> moved;
    json::array replaced;
    if (put && around_.planned.carry_out) {
        auto work = around_.planned.carry_out(std::move(plans), who.user);
        const auto done = co_await within(around_.time, engine_patience, std::move(work));
        moved = all_went_well(done);
        if (done) replaced = told_of(*done);
    }
    auto detail = label;
    if (!moved) detail += ", in force; not moved: " + moved.error().detail();
    const auto* const deed = how == writing::new_one ? "calendar.add" : "calendar.replace";
    CO_CHECK_OK(co_await recorded(std::move(who), deed, detail, outcome_of(put)));
    if (!moved)
        co_return fail(
            moved.error().code(),
            fmt::format(
                "the calendar {} is in force, but not everything that is planned was moved: {}; "
                "the same request again moves the rest",
                label,
                moved.error().detail()));
    CO_TRY(const auto after, current());
    const auto stands = after->calendars.find(label);
    if (stands == after->calendars.end())
        co_return fail(errc::conflict, "somebody removed it at the same time");
    auto answered = calendar_json(label, stands->second);
    answered["replanned"] = std::move(shown);
    answered["replaced_jobs"] = std::move(replaced);
    co_return told(how == writing::new_one ? 201 : 200, answered);
}

windows_api::answer windows_api::remove_calendar(request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    const std::string label = asked.captured("name");
    const auto done = co_await within(
        around_.time, engine_patience, around_.book.remove(record_kind::calendar, label, who.user));
    CO_CHECK_OK(co_await recorded(std::move(who), "calendar.remove", label, outcome_of(done)));
    co_return told(200, json::object{{"removed", label}});
}

windows_api::answer windows_api::add_schedule(request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto name, body.text("name"));
    windows::stored_maintenance what;
    CO_TRY(what.type, body.text("type"));
    CO_TRY(const auto calendar, body.optional_text("calendar"));
    CO_CHECK_OK(body.finish());
    what.calendar = calendar.value_or("");
    const auto put = co_await within(
        around_.time,
        engine_patience,
        around_.book.put_maintenance(name, std::move(what), writing::new_one, who.user));
    CO_CHECK_OK(co_await recorded(std::move(who), "window.add", name, outcome_of(put)));
    CO_TRY(const auto now, current());
    CO_TRY(const auto shown, schedule_json(*now, name, around_.time.wall()));
    co_return told(201, shown);
}

windows_api::answer windows_api::remove_schedule(request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    const std::string name = asked.captured("name");
    const auto done = co_await within(
        around_.time,
        engine_patience,
        around_.book.remove(record_kind::maintenance, name, who.user));
    CO_CHECK_OK(co_await recorded(std::move(who), "window.remove", name, outcome_of(done)));
    co_return told(200, json::object{{"removed", name}});
}

windows_api::answer windows_api::assign(request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(auto query, body.text("query"));
    CO_CHECK_OK(body.finish());
    co_return co_await assigned(std::move(who), asked.captured("name"), std::move(query));
}

windows_api::answer windows_api::unassign(request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(auto query, body.text("query"));
    CO_CHECK_OK(body.finish());
    co_return co_await assigned(std::move(who), "", std::move(query));
}

windows_api::answer windows_api::assigned(visitor who, std::string schedule, std::string query) {
    CO_TRY(const auto meant, around_.resolve(query));
    CO_TRY(const auto before, current());
    // Those that get another schedule lose what is planned within the windows of the old one.
    auto changing = schedule.empty() ? fleet::system_set() : meant - before->systems_of(schedule);
    const auto done = co_await within(
        around_.time, engine_patience, around_.book.assign(schedule, meant, who.user));
    result<void> taken_back;
    json::array cancelled;
    if (done && around_.planned.cancel && !changing.empty()) {
        auto work = around_.planned.cancel(std::move(changing), who.user);
        const auto jobs = co_await within(around_.time, engine_patience, std::move(work));
        taken_back = all_went_well(jobs);
        if (jobs) cancelled = told_of(*jobs);
    }
    auto detail = fmt::format("{} query {}", schedule, query);
    if (!taken_back) detail += ", in force; not taken back: " + taken_back.error().detail();
    const auto* const deed = schedule.empty() ? "window.unassign" : "window.assign";
    CO_CHECK_OK(co_await recorded(std::move(who), deed, detail, outcome_of(done)));
    if (!taken_back)
        co_return fail(
            taken_back.error().code(),
            fmt::format(
                "the systems have the schedule {}, but not everything that was planned for them "
                "was taken back: {}; look at it with: muster jobs",
                schedule,
                taken_back.error().detail()));
    co_return told(
        200,
        json::object{
            {"systems", meant.size()},
            {"had_another", done.value_or(0)},
            {"cancelled_jobs", std::move(cancelled)}});
}

windows_api::answer windows_api::set_policy(request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const bool allowed, body.flag("emergency_override"));
    CO_CHECK_OK(body.finish());
    const auto done = co_await within(
        around_.time,
        engine_patience,
        around_.book.put_policy({.emergency_override = allowed}, who.user));
    const auto* const detail = allowed ? "override allowed" : "override disabled";
    CO_CHECK_OK(co_await recorded(std::move(who), "window.policy", detail, outcome_of(done)));
    co_return told(200, json::object{{"emergency_override", allowed}});
}

}  // namespace muster::gateway
