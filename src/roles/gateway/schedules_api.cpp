#include "roles/gateway/schedules_api.h"

#include "core/targeting/query.h"
#include "ports/deadline.h"
#include "roles/cluster/record.h"
#include "roles/gateway/json_body.h"
#include "roles/gateway/rollout_json.h"
#include "roles/jobs/job_desk.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>
#include <vector>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;
using windows::record_kind;
using writing = windows::window_book::writing;

constexpr std::size_t body_bytes_max = 64 * std::size_t{1024};
constexpr std::size_t runs_shown = 5;

http::response told(unsigned status, const json::value& what) {
    return no_store(http::json(status, json::serialize(what)));
}

json::object schedule_json(
    const std::string& name, const windows::window_view::kept_schedule& of, wall_time now) {
    const auto next = of.stored.active ? schedules::next_run(of.when, now) : std::nullopt;
    json::object shown{
        {"name", name},
        {"active", of.stored.active},
        {"next", next ? json::value(cluster::iso_time(*next)) : json::value()},
        {"query", of.stored.query},
        {"function", of.stored.function},
        {"arguments", json::parse(of.stored.arguments)},
        {"missed", of.stored.missed},
        {"maintenance_only", of.stored.maintenance_only},
        {"zone", of.stored.timing.zone.empty() ? "UTC" : of.stored.timing.zone},
        {"changed", cluster::iso_time(of.row.changed)},
        {"changed_by", of.row.changed_by}};
    if (!of.stored.timing.at.empty()) shown["at"] = of.stored.timing.at;
    if (!of.stored.timing.cron.empty()) shown["cron"] = of.stored.timing.cron;
    if (!of.stored.timing.rrule.empty()) shown["rrule"] = of.stored.timing.rrule;
    json::object options;
    show_rollout(options, of.stored.rollout);
    shown["options"] = std::move(options);
    return shown;
}

result<void> read_text(json_body& body, const char* name, std::string& into) {
    TRY(const auto given, body.optional_text(name));
    if (given) into = *given;
    return {};
}

result<void> read_flag(json_body& body, const char* name, bool& into) {
    const auto given = body.optional_value(name);
    if (!given) return {};
    if (!given->is_bool()) return fail(errc::invalid, fmt::format("`{}` is true or false", name));
    into = given->as_bool();
    return {};
}

// Takes over what the body says and leaves the rest as it is.
result<void> read_into(json_body& body, windows::stored_schedule& what) {
    auto timing =
        schedules::written_timing{.at = {}, .cron = {}, .rrule = {}, .zone = what.timing.zone};
    CHECK_OK(read_text(body, "at", timing.at));
    CHECK_OK(read_text(body, "cron", timing.cron));
    CHECK_OK(read_text(body, "rrule", timing.rrule));
    CHECK_OK(read_text(body, "zone", timing.zone));
    const bool timed = !timing.at.empty() || !timing.cron.empty() || !timing.rrule.empty();
    if (timed) {
        what.timing = std::move(timing);
    } else {
        what.timing.zone = timing.zone;
    }
    CHECK_OK(read_text(body, "query", what.query));
    CHECK_OK(read_text(body, "function", what.function));
    CHECK_OK(read_text(body, "missed", what.missed));
    CHECK_OK(read_flag(body, "maintenance_only", what.maintenance_only));
    CHECK_OK(read_flag(body, "active", what.active));
    if (const auto arguments = body.optional_value("arguments")) {
        if (!arguments->is_array() && !arguments->is_object())
            return fail(errc::invalid, "`arguments` is a list or an object");
        what.arguments = json::serialize(*arguments);
    }
    CHECK_OK(read_rollout(body, what.rollout));
    CHECK_OK(body.finish());
    CHECK_OK(jobs::check_rollout(what.rollout));
    if (what.query.empty()) return fail(errc::invalid, "`query` is missing: whom it is about");
    if (what.function.empty()) return fail(errc::invalid, "`function` is missing: what to run");
    const auto query = targeting::query::parse(what.query);
    if (!query) return fail(query.error().within("the query"));
    return {};
}

template <class T>
result<void> outcome_of(const result<T>& done) {
    if (done) return {};
    return fail(done.error());
}

}  // namespace

schedules_api::answer schedules_api::settled(answer work) {
    auto done = co_await std::move(work);
    if (!done) co_return refused(done.error());
    co_return done;
}

http::handler schedules_api::calling(answer (schedules_api::*method)(request)) {
    return [this, method](http::request asked) {
        return settled((this->*method)(std::move(asked)));
    };
}

result<void> schedules_api::add_routes(http::router& routes) {
    const auto with_body = [this](auto method) {
        return http::route{.handle = calling(method), .body_bytes_max = body_bytes_max};
    };
    const std::string all = "/api/v1/schedules";
    CHECK_OK(routes.add("GET", all, {calling(&schedules_api::list)}));
    CHECK_OK(routes.add("POST", all, with_body(&schedules_api::add)));
    CHECK_OK(routes.add("GET", all + "/{name}", {calling(&schedules_api::show)}));
    CHECK_OK(routes.add("PATCH", all + "/{name}", with_body(&schedules_api::change)));
    return routes.add("DELETE", all + "/{name}", with_body(&schedules_api::remove));
}

result<std::shared_ptr<const windows::window_view>> schedules_api::current() const {
    auto now = book_.current();
    if (!now) return fail(errc::unavailable, "the server is still reading the schedules");
    return now;
}

async<void> schedules_api::recorded(
    visitor who, std::string what, std::string detail, result<void> outcome) {
    deed done{
        .who = who.user,
        .what = std::move(what),
        .origin = who.origin,
        .outcome = outcome ? "done" : "refused",
        .detail = outcome ? detail : detail + ": " + outcome.error().detail()};
    const auto written =
        co_await within(time_, engine_patience, who.desk->audit.record(std::move(done)));
    if (!outcome) co_return outcome;
    co_return written;
}

schedules_api::answer schedules_api::list(request asked) {
    CO_CHECK_OK(co_await desk_.admit(asked));
    CO_TRY(const auto now, current());
    json::array items;
    for (const auto& [name, kept] : now->schedules)
        items.push_back(schedule_json(name, kept, time_.wall()));
    co_return told(200, json::object{{"items", std::move(items)}, {"next", nullptr}});
}

schedules_api::answer schedules_api::show(request asked) {
    CO_CHECK_OK(co_await desk_.admit(asked));
    CO_TRY(const auto now, current());
    const std::string name = asked.captured("name");
    const auto found = now->schedules.find(name);
    if (found == now->schedules.end())
        co_return fail(errc::not_found, "there is no schedule " + name);
    auto shown = schedule_json(name, found->second, time_.wall());
    json::array runs;
    auto next = schedules::next_run(found->second.when, time_.wall());
    while (next && runs.size() < runs_shown) {
        runs.emplace_back(cluster::iso_time(*next));
        next = schedules::next_run(found->second.when, *next);
    }
    shown["runs"] = std::move(runs);
    co_return told(200, shown);
}

schedules_api::answer schedules_api::add(request asked) {
    CO_TRY(auto who, co_await desk_.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto name, body.text("name"));
    windows::stored_schedule what;
    what.arguments = "[]";
    what.considered = time_.wall();
    CO_CHECK_OK(read_into(body, what));
    co_return co_await put(std::move(who), name, std::move(what), writing::new_one);
}

schedules_api::answer schedules_api::change(request asked) {
    CO_TRY(auto who, co_await desk_.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto now, current());
    const std::string name = asked.captured("name");
    const auto found = now->schedules.find(name);
    if (found == now->schedules.end())
        co_return fail(errc::not_found, "there is no schedule " + name);
    auto what = found->second.stored;
    const bool slept = !what.active;
    CO_CHECK_OK(read_into(body, what));
    // What would have run while it was not active was not missed.
    if (slept && what.active) what.considered = time_.wall();
    co_return co_await put(std::move(who), name, std::move(what), writing::replacement);
}

schedules_api::answer schedules_api::put(
    visitor who, std::string name, windows::stored_schedule what, writing how) {
    const auto done = co_await within(
        time_, engine_patience, book_.put_schedule(name, std::move(what), how, who.user));
    const auto* const deed = how == writing::new_one ? "schedule.add" : "schedule.change";
    CO_CHECK_OK(co_await recorded(std::move(who), deed, name, outcome_of(done)));
    CO_TRY(const auto now, current());
    const auto found = now->schedules.find(name);
    if (found == now->schedules.end())
        co_return fail(errc::conflict, "somebody removed it at the same time");
    co_return told(
        how == writing::new_one ? 201 : 200, schedule_json(name, found->second, time_.wall()));
}

schedules_api::answer schedules_api::remove(request asked) {
    CO_TRY(auto who, co_await desk_.admit(asked));
    const std::string name = asked.captured("name");
    const auto done = co_await within(
        time_, engine_patience, book_.remove(record_kind::schedule, name, who.user));
    CO_CHECK_OK(co_await recorded(std::move(who), "schedule.remove", name, outcome_of(done)));
    co_return told(200, json::object{{"removed", name}});
}

}  // namespace muster::gateway
