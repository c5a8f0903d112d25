#include "api/rest/schedules_api.h"

#include "api/operations/group_label_policy.h"
#include "api/operations/json_value.h"
#include "api/rest/rollout_json.h"
#include "base/iso_time.h"
#include "core/targeting/query.h"
#include "ports/deadline.h"
#include "services/configuration/deployment.h"
#include "services/jobs/functions.h"
#include "services/jobs/job_service.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>
#include <vector>

namespace muster::api {
namespace {

namespace json = boost::json;
using configuration::deployment;
using windows::record_kind;
using writing = windows::window_store::writing;

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
    auto result = rollout_parameters();
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
    result.insert(result.begin(), own.begin(), own.end());
    return result;
}

// A query means whom it means when it runs: nobody can say before in which zones that will be.
result<void> check_reach(const call& call) {
    if (!call.zones_with(access::right::jobs_run)) return {};
    return fail(errc::denied, "a schedule needs the right jobs.run in the whole cluster");
}

bool deploys(const windows::stored_schedule& stored_schedule) {
    return stored_schedule.function == deployment::scheduled_as;
}

// What is deployed stands in the jobs that are made, and comes from all channels.
result<void> check_files(const call& call, const windows::stored_schedule& stored_schedule) {
    if (!deploys(stored_schedule) || looks_at(call) == access::extent::cluster) return {};
    return fail(
        errc::denied,
        "a schedule that deploys configuration needs the right fleet.read in the whole cluster");
}

bool read_only(const windows::stored_schedule& stored_schedule) {
    if (!deploys(stored_schedule))
        return jobs::read_only(stored_schedule.function, stored_schedule.arguments);
    const auto order = deployment::read_order(stored_schedule.arguments);
    return order && order->how == deployment::mode::compare;
}

// The same holds for the windows of those whom it will mean.
result<void> check_windows(const call& call, const windows::stored_schedule& stored_schedule) {
    if (!stored_schedule.active || stored_schedule.maintenance_only) return {};
    if (read_only(stored_schedule)) return {};
    if (!call.zones_with(access::right::windows_override)) return {};
    return fail(
        errc::denied,
        "a schedule that changes systems outside of their maintenance windows "
        "(`maintenance_only`: false) needs the right windows.override in the whole cluster");
}

json::object schedule_json(
    const std::string& name, const windows::window_snapshot::kept_schedule& of, wall_time now) {
    const auto next = of.stored.active ? schedules::next_run(of.when, now) : std::nullopt;
    json::object output{
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
    if (!of.stored.timing.at.empty()) output["at"] = of.stored.timing.at;
    if (!of.stored.timing.cron.empty()) output["cron"] = of.stored.timing.cron;
    if (!of.stored.timing.rrule.empty()) output["rrule"] = of.stored.timing.rrule;
    json::object options;
    show_rollout(options, of.stored.rollout);
    output["options"] = std::move(options);
    return output;
}

result<void> read_text(json_body& body, const char* name, std::string& into) {
    TRY(const auto input, body.optional_text(name));
    if (input) into = *input;
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

result<void> check_complete(const windows::stored_schedule& stored_schedule) {
    CHECK_OK(jobs::check_rollout(stored_schedule.rollout));
    if (stored_schedule.query.empty())
        return fail(errc::invalid, "`query` is missing: whom it is about");
    if (stored_schedule.function.empty())
        return fail(errc::invalid, "`function` is missing: what to run");
    const auto query = targeting::query::parse(stored_schedule.query);
    if (!query) return fail(query.error().within("the query"));
    if (deploys(stored_schedule)) {
        CHECK_OK(deployment::read_order(stored_schedule.arguments));
        return {};
    }
    TRY(const auto arguments,
        jobs::arguments_as_object(stored_schedule.function, stored_schedule.arguments));
    return jobs::check_function(stored_schedule.function, arguments);
}

// Takes over what the body says and leaves the rest as it is.
result<void> read_into(json_body& body, windows::stored_schedule& stored_schedule) {
    CHECK_OK(read_timing(body, stored_schedule.timing));
    CHECK_OK(read_text(body, "query", stored_schedule.query));
    CHECK_OK(read_text(body, "function", stored_schedule.function));
    CHECK_OK(read_text(body, "missed", stored_schedule.missed));
    CHECK_OK(read_flag(body, "maintenance_only", stored_schedule.maintenance_only));
    CHECK_OK(read_flag(body, "active", stored_schedule.active));
    if (const auto* const arguments = body.optional_value("arguments")) {
        if (!arguments->holds<api::value::list>() && !arguments->holds<api::value::record>())
            return fail(errc::invalid, "`arguments` is a list or an object");
        stored_schedule.arguments = json::serialize(to_json(*arguments));
    }
    CHECK_OK(read_rollout(body, stored_schedule.rollout));
    CHECK_OK(body.finish());
    return check_complete(stored_schedule);
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

result<std::shared_ptr<const windows::window_snapshot>> schedules_api::current() const {
    auto now = windows_.current();
    if (!now) return fail(errc::unavailable, "the server is still reading the schedules");
    return now;
}

async<reply> schedules_api::list(call /*asked*/) {
    CO_TRY(const auto now, current());
    json::array items;
    for (const auto& [name, kept] : now->schedules)
        items.push_back(schedule_json(name, kept, clock_.wall()));
    co_return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

async<reply> schedules_api::show(call call) {
    CO_TRY(const auto now, current());
    const auto& name = call.text("name");
    const auto it = now->schedules.find(name);
    if (it == now->schedules.end()) co_return fail(errc::not_found, "there is no schedule " + name);
    auto output = schedule_json(name, it->second, clock_.wall());
    json::array runs;
    auto next = schedules::next_run(it->second.when, clock_.wall());
    while (next && runs.size() < runs_shown) {
        runs.emplace_back(iso_time(*next));
        next = schedules::next_run(it->second.when, *next);
    }
    output["runs"] = std::move(runs);
    co_return reply{std::move(output)};
}

async<reply> schedules_api::add(call call) {
    CO_CHECK_OK(check_reach(call));
    auto body = call.body();
    CO_CHECK_OK(body.text("name"));
    windows::stored_schedule stored_schedule;
    stored_schedule.arguments = "[]";
    stored_schedule.considered = clock_.wall();
    stored_schedule.made = clock_.wall();
    stored_schedule.made_by = call.who().user;
    CO_CHECK_OK(read_into(body, stored_schedule));
    CO_CHECK_OK(check_files(call, stored_schedule));
    CO_CHECK_OK(check_windows(call, stored_schedule));
    co_return co_await put(std::move(call), std::move(stored_schedule), writing::new_one);
}

async<reply> schedules_api::change(call call) {
    CO_CHECK_OK(check_reach(call));
    auto body = call.body();
    CO_TRY(const auto now, current());
    const auto& name = call.text("name");
    const auto it = now->schedules.find(name);
    if (it == now->schedules.end()) co_return fail(errc::not_found, "there is no schedule " + name);
    auto what = it->second.stored;
    const bool slept = !what.active;
    CO_CHECK_OK(read_into(body, what));
    CO_CHECK_OK(check_files(call, what));
    CO_CHECK_OK(check_windows(call, what));
    // What would have run while it was not active was not missed.
    if (slept && what.active) what.considered = clock_.wall();
    co_return co_await put(std::move(call), std::move(what), writing::replacement);
}

async<reply> schedules_api::put(
    call call, windows::stored_schedule stored_schedule, writing writing) {
    const auto& name = call.text("name");
    CO_CHECK_OK(co_await within(
        clock_,
        engine_timeout,
        windows_.put_schedule(name, std::move(stored_schedule), writing, call.who().user)));
    CO_TRY(const auto now, current());
    const auto it = now->schedules.find(name);
    if (it == now->schedules.end())
        co_return fail(errc::conflict, "somebody removed it at the same time");
    co_return reply{schedule_json(name, it->second, clock_.wall())};
}

async<reply> schedules_api::remove(call call) {
    const auto& name = call.text("name");
    CO_CHECK_OK(co_await within(
        clock_, engine_timeout, windows_.remove(record_kind::schedule, name, call.who().user)));
    co_return reply{json::object{{"removed", name}}};
}

}  // namespace muster::api
