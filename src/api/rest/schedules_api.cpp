#include "api/rest/schedules_api.h"

#include "base/iso_time.h"
#include "core/targeting/query.h"
#include "ports/deadline.h"
#include "services/configuration/deployment.h"
#include "api/operations/group_guard.h"
#include "api/operations/json_value.h"
#include "api/rest/rollout_json.h"
#include "services/jobs/functions.h"
#include "services/jobs/job_desk.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>
#include <vector>

namespace muster::api {
namespace {

namespace json = boost::json;
using configuration::deployment;
using windows::record_kind;
using writing = windows::window_book::writing;

constexpr const char* all = "/api/v1/schedules";
constexpr const char* one = "/api/v1/schedules/{name}";
constexpr std::size_t runs_shown = 5;

api::shape schedule_shape() {
    using namespace api;
    return record_of(
        {required("name", name()),
         required("active", flag()),
         required("next", api::time().or_nothing()),
         required("query", text()),
         required("function", name()),
         required("arguments", anything()),
         required("missed", text().with_about("what becomes of a run that was missed")),
         required("maintenance_only", flag()),
         required("zone", name().with_about("of time")),
         required("changed", api::time()),
         required("changed_by", text()),
         required("options", map_of(anything())),
         optional("at", text()),
         optional("cron", text()),
         optional("rrule", text()),
         optional("runs", list_of(api::time()))});
}

std::vector<api::parameter> schedule_parameters(api::parameter name) {
    using namespace api;
    auto made = rollout_parameters();
    const std::vector<parameter> own{
        std::move(name),
        optional_in_body("at", text().with_about("once, then: 2026-11-16T22:00:00Z")),
        optional_in_body("cron", text().with_about("or as in cron: 0 3 * * 1")),
        optional_in_body("rrule", text().with_about("or as in a calendar: FREQ=DAILY;BYHOUR=3")),
        optional_in_body("zone", text().with_about("of time, such as Europe/Berlin")),
        optional_in_body("query", text().with_about("whom it is for; asked anew each time")),
        optional_in_body("function", text()),
        optional_in_body("missed", text()),
        optional_in_body("maintenance_only", flag()),
        optional_in_body("active", flag()),
        optional_in_body("arguments", anything())};
    made.insert(made.begin(), own.begin(), own.end());
    return made;
}

// A query means whom it means when it runs: nobody can say before in which zones that will be.
result<void> check_reach(const call& asked) {
    if (!asked.zones_with(access::right::jobs_run)) return {};
    return fail(errc::denied, "a schedule needs the right jobs.run in the whole cluster");
}

bool deploys(const windows::stored_schedule& what) {
    return what.function == deployment::scheduled_as;
}

// What is deployed stands in the jobs that are made, and comes from all channels.
result<void> check_files(const call& asked, const windows::stored_schedule& what) {
    if (!deploys(what) || looks_at(asked) == access::extent::cluster) return {};
    return fail(
        errc::denied,
        "a schedule that deploys configuration needs the right fleet.read in the whole cluster");
}

bool changes_nothing(const windows::stored_schedule& what) {
    if (!deploys(what)) return jobs::changes_nothing(what.function, what.arguments);
    const auto order = deployment::read_order(what.arguments);
    return order && order->how == deployment::mode::compare;
}

// The same holds for the windows of those whom it will mean.
result<void> check_windows(const call& asked, const windows::stored_schedule& what) {
    if (!what.active || what.maintenance_only) return {};
    if (changes_nothing(what)) return {};
    if (!asked.zones_with(access::right::windows_override)) return {};
    return fail(
        errc::denied,
        "a schedule that changes systems outside of their maintenance windows "
        "(`maintenance_only`: false) needs the right windows.override in the whole cluster");
}

json::object schedule_json(
    const std::string& name, const windows::window_view::kept_schedule& of, wall_time now) {
    const auto next = of.stored.active ? schedules::next_run(of.when, now) : std::nullopt;
    json::object shown{
        {"name", name},
        {"active", of.stored.active},
        {"next", next ? json::value(iso_time(*next)) : json::value()},
        {"query", of.stored.query},
        {"function", of.stored.function},
        {"arguments", json::parse(of.stored.arguments)},
        {"missed", of.stored.missed},
        {"maintenance_only", of.stored.maintenance_only},
        {"zone", of.stored.timing.zone.empty() ? "UTC" : of.stored.timing.zone},
        {"changed", iso_time(of.row.changed)},
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
    const auto* const given = body.optional_value(name);
    if (given == nullptr) return {};
    const auto* const flag = given->get<bool>();
    if (flag == nullptr) return fail(errc::invalid, fmt::format("`{}` is true or false", name));
    into = *flag;
    return {};
}

result<void> read_timing(json_body& body, schedules::written_timing& into) {
    auto timing = schedules::written_timing{.at = {}, .cron = {}, .rrule = {}, .zone = into.zone};
    CHECK_OK(read_text(body, "at", timing.at));
    CHECK_OK(read_text(body, "cron", timing.cron));
    CHECK_OK(read_text(body, "rrule", timing.rrule));
    CHECK_OK(read_text(body, "zone", timing.zone));
    const bool timed = !timing.at.empty() || !timing.cron.empty() || !timing.rrule.empty();
    if (timed) {
        into = std::move(timing);
    } else {
        into.zone = timing.zone;
    }
    return {};
}

result<void> check_complete(const windows::stored_schedule& what) {
    CHECK_OK(jobs::check_rollout(what.rollout));
    if (what.query.empty()) return fail(errc::invalid, "`query` is missing: whom it is about");
    if (what.function.empty()) return fail(errc::invalid, "`function` is missing: what to run");
    const auto query = targeting::query::parse(what.query);
    if (!query) return fail(query.error().within("the query"));
    if (deploys(what)) {
        CHECK_OK(deployment::read_order(what.arguments));
        return {};
    }
    TRY(const auto arguments, jobs::arguments_as_object(what.function, what.arguments));
    return jobs::check_function(what.function, arguments);
}

// Takes over what the body says and leaves the rest as it is.
result<void> read_into(json_body& body, windows::stored_schedule& what) {
    CHECK_OK(read_timing(body, what.timing));
    CHECK_OK(read_text(body, "query", what.query));
    CHECK_OK(read_text(body, "function", what.function));
    CHECK_OK(read_text(body, "missed", what.missed));
    CHECK_OK(read_flag(body, "maintenance_only", what.maintenance_only));
    CHECK_OK(read_flag(body, "active", what.active));
    if (const auto* const arguments = body.optional_value("arguments")) {
        if (!arguments->holds<api::value::list>() && !arguments->holds<api::value::record>())
            return fail(errc::invalid, "`arguments` is a list or an object");
        what.arguments = json::serialize(to_json(*arguments));
    }
    CHECK_OK(read_rollout(body, what.rollout));
    CHECK_OK(body.finish());
    return check_complete(what);
}

}  // namespace

result<void> schedules_api::declare(registry& to) {
    using namespace api;
    using access::right;
    CHECK_OK(to.add(
        {.name = "schedules.list",
         .summary = "What runs again and again",
         .path = all,
         .gives = page_of(schedule_shape()),
         .needed = right::jobs_read},
        done_by(this, &schedules_api::list)));
    CHECK_OK(to.add(
        {.name = "schedules.show",
         .summary = "A schedule with its next runs",
         .path = one,
         .takes = {in_path("name", name())},
         .gives = schedule_shape(),
         .needed = right::jobs_read},
        done_by(this, &schedules_api::show)));
    CHECK_OK(to.add(
        {.name = "schedules.add",
         .summary = "Makes a schedule",
         .method = verb::post,
         .path = all,
         .takes = schedule_parameters(in_body("name", name())),
         .gives = schedule_shape(),
         .status = 201,
         .needed = right::schedules_change},
        done_by(this, &schedules_api::add)));
    CHECK_OK(to.add(
        {.name = "schedules.change",
         .summary = "Changes a schedule; what is not given stays",
         .method = verb::patch,
         .path = one,
         .takes = schedule_parameters(in_path("name", name())),
         .gives = schedule_shape(),
         .needed = right::schedules_change},
        done_by(this, &schedules_api::change)));
    return to.add(
        {.name = "schedules.remove",
         .summary = "Removes a schedule; jobs it made stay",
         .method = verb::remove,
         .path = one,
         .takes = {in_path("name", name())},
         .gives = record_of({required("removed", name())}),
         .needed = right::schedules_change},
        done_by(this, &schedules_api::remove));
}

result<std::shared_ptr<const windows::window_view>> schedules_api::current() const {
    auto now = book_.current();
    if (!now) return fail(errc::unavailable, "the server is still reading the schedules");
    return now;
}

async<reply> schedules_api::list(call /*asked*/) {
    CO_TRY(const auto now, current());
    json::array items;
    for (const auto& [name, kept] : now->schedules)
        items.push_back(schedule_json(name, kept, time_.wall()));
    co_return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

async<reply> schedules_api::show(call asked) {
    CO_TRY(const auto now, current());
    const auto& name = asked.text("name");
    const auto found = now->schedules.find(name);
    if (found == now->schedules.end())
        co_return fail(errc::not_found, "there is no schedule " + name);
    auto shown = schedule_json(name, found->second, time_.wall());
    json::array runs;
    auto next = schedules::next_run(found->second.when, time_.wall());
    while (next && runs.size() < runs_shown) {
        runs.emplace_back(iso_time(*next));
        next = schedules::next_run(found->second.when, *next);
    }
    shown["runs"] = std::move(runs);
    co_return reply{std::move(shown)};
}

async<reply> schedules_api::add(call asked) {
    CO_CHECK_OK(check_reach(asked));
    auto body = asked.body();
    CO_CHECK_OK(body.text("name"));
    windows::stored_schedule what;
    what.arguments = "[]";
    what.considered = time_.wall();
    what.made = time_.wall();
    what.made_by = asked.who().user;
    CO_CHECK_OK(read_into(body, what));
    CO_CHECK_OK(check_files(asked, what));
    CO_CHECK_OK(check_windows(asked, what));
    co_return co_await put(std::move(asked), std::move(what), writing::new_one);
}

async<reply> schedules_api::change(call asked) {
    CO_CHECK_OK(check_reach(asked));
    auto body = asked.body();
    CO_TRY(const auto now, current());
    const auto& name = asked.text("name");
    const auto found = now->schedules.find(name);
    if (found == now->schedules.end())
        co_return fail(errc::not_found, "there is no schedule " + name);
    auto what = found->second.stored;
    const bool slept = !what.active;
    CO_CHECK_OK(read_into(body, what));
    CO_CHECK_OK(check_files(asked, what));
    CO_CHECK_OK(check_windows(asked, what));
    // What would have run while it was not active was not missed.
    if (slept && what.active) what.considered = time_.wall();
    co_return co_await put(std::move(asked), std::move(what), writing::replacement);
}

async<reply> schedules_api::put(call asked, windows::stored_schedule what, writing how) {
    const auto& name = asked.text("name");
    CO_CHECK_OK(co_await within(
        time_, engine_patience, book_.put_schedule(name, std::move(what), how, asked.who().user)));
    CO_TRY(const auto now, current());
    const auto found = now->schedules.find(name);
    if (found == now->schedules.end())
        co_return fail(errc::conflict, "somebody removed it at the same time");
    co_return reply{schedule_json(name, found->second, time_.wall())};
}

async<reply> schedules_api::remove(call asked) {
    const auto& name = asked.text("name");
    CO_CHECK_OK(co_await within(
        time_, engine_patience, book_.remove(record_kind::schedule, name, asked.who().user)));
    co_return reply{json::object{{"removed", name}}};
}

}  // namespace muster::api
