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
using write_mode = windows::window_store::write_mode;

constexpr const char* collection_path = "/api/v1/schedules";
constexpr const char* item_path = "/api/v1/schedules/{name}";
constexpr std::size_t runs_shown_max = 5;

api::shape schedule_shape() {
    using namespace api;
    return record_of(
        {required("name", name()),
         required("active", flag()),
         required("next", api::time().or_nothing()),
         required("query", text()),
         required("function", name()),
         required("arguments", anything()),
         required("missed", text().with_about("handling of missed runs")),
         required("maintenance_only", flag()),
         required("zone", name().with_about("time zone")),
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
        optional_in_body(
            "at", text().with_about("time of a single run, such as 2026-11-16T22:00:00Z")),
        optional_in_body("cron", text().with_about("cron expression, such as 0 3 * * 1")),
        optional_in_body(
            "rrule", text().with_about("recurrence rule, such as FREQ=DAILY;BYHOUR=3")),
        optional_in_body(
            "zone", text().with_about("time zone, such as Europe/Berlin (default UTC)")),
        optional_in_body(
            "query", text().with_about("query that selects the systems, evaluated at each run")),
        optional_in_body("function", text()),
        optional_in_body("missed", text()),
        optional_in_body("maintenance_only", flag()),
        optional_in_body("active", flag()),
        optional_in_body("arguments", anything())};
    result.insert(result.begin(), own.begin(), own.end());
    return result;
}

// The query is resolved at run time, so its zones are not known in advance.
result<void> check_reach(const call& call) {
    if (!call.zones_with(access::right::jobs_run)) return {};
    return fail(errc::denied, "a schedule needs the right jobs.run in the whole cluster");
}

bool deploys_configuration(const windows::stored_schedule& schedule) {
    return schedule.function == deployment::scheduled_as;
}

// The created jobs contain files of all channels.
result<void> check_files(const call& call, const windows::stored_schedule& schedule) {
    if (!deploys_configuration(schedule) || read_extent(call) == access::extent::cluster) return {};
    return fail(
        errc::denied,
        "a schedule that deploys configuration needs the right fleet.read in the whole cluster");
}

bool is_read_only(const windows::stored_schedule& schedule) {
    if (!deploys_configuration(schedule))
        return jobs::is_read_only(schedule.function, schedule.arguments);
    const auto request = deployment::parse_request(schedule.arguments);
    return request && request->mode == deployment::mode::compare;
}

// The windows of the future targets are not known in advance either.
result<void> check_windows(const call& call, const windows::stored_schedule& schedule) {
    if (!schedule.active || schedule.maintenance_only) return {};
    if (is_read_only(schedule)) return {};
    if (!call.zones_with(access::right::windows_override)) return {};
    return fail(
        errc::denied,
        "a schedule that changes systems outside of their maintenance windows "
        "(`maintenance_only`: false) needs the right windows.override in the whole cluster");
}

json::object schedule_json(
    const std::string& name,
    const windows::window_snapshot::parsed_schedule& schedule,
    wall_time now) {
    const auto next =
        schedule.stored.active ? schedules::next_run(schedule.timing, now) : std::nullopt;
    json::object output{
        {"name", name},
        {"active", schedule.stored.active},
        {"next", next ? json::value(iso_time(*next)) : json::value()},
        {"query", schedule.stored.query},
        {"function", schedule.stored.function},
        {"arguments", json::parse(schedule.stored.arguments)},
        {"missed", schedule.stored.missed},
        {"maintenance_only", schedule.stored.maintenance_only},
        {"zone", schedule.stored.timing.zone.empty() ? "UTC" : schedule.stored.timing.zone},
        {"changed", iso_time(schedule.row.changed)},
        {"changed_by", schedule.row.changed_by}};
    if (!schedule.stored.timing.at.empty()) output["at"] = schedule.stored.timing.at;
    if (!schedule.stored.timing.cron.empty()) output["cron"] = schedule.stored.timing.cron;
    if (!schedule.stored.timing.rrule.empty()) output["rrule"] = schedule.stored.timing.rrule;
    json::object options;
    show_rollout(options, schedule.stored.rollout);
    output["options"] = std::move(options);
    return output;
}

result<void> read_text(json_body& body, const char* name, std::string& target) {
    TRY(const auto text, body.optional_text(name));
    if (text) target = *text;
    return {};
}

result<void> read_flag(json_body& body, const char* name, bool& target) {
    const auto* const value = body.optional_value(name);
    if (value == nullptr) return {};
    const auto* const flag = value->get<bool>();
    if (flag == nullptr)
        return fail(errc::invalid, fmt::format("`{}` must be true or false", name));
    target = *flag;
    return {};
}

result<void> read_timing(json_body& body, schedules::timing_text& stored_timing) {
    auto timing =
        schedules::timing_text{.at = {}, .cron = {}, .rrule = {}, .zone = stored_timing.zone};
    CHECK_OK(read_text(body, "at", timing.at));
    CHECK_OK(read_text(body, "cron", timing.cron));
    CHECK_OK(read_text(body, "rrule", timing.rrule));
    CHECK_OK(read_text(body, "zone", timing.zone));
    const bool has_time = !timing.at.empty() || !timing.cron.empty() || !timing.rrule.empty();
    if (has_time) {
        stored_timing = std::move(timing);
    } else {
        stored_timing.zone = timing.zone;
    }
    return {};
}

result<void> check_complete(const windows::stored_schedule& schedule) {
    CHECK_OK(jobs::check_rollout(schedule.rollout));
    if (schedule.query.empty()) return fail(errc::invalid, "`query` is missing");
    if (schedule.function.empty()) return fail(errc::invalid, "`function` is missing");
    const auto query = targeting::query::parse(schedule.query);
    if (!query) return fail(query.error().with_context("invalid query"));
    if (deploys_configuration(schedule)) {
        CHECK_OK(deployment::parse_request(schedule.arguments));
        return {};
    }
    TRY(const auto arguments, jobs::to_argument_object(schedule.function, schedule.arguments));
    return jobs::check_function(schedule.function, arguments);
}

// Sets the members given in the body and keeps the others.
result<void> read_schedule(json_body& body, windows::stored_schedule& schedule) {
    CHECK_OK(read_timing(body, schedule.timing));
    CHECK_OK(read_text(body, "query", schedule.query));
    CHECK_OK(read_text(body, "function", schedule.function));
    CHECK_OK(read_text(body, "missed", schedule.missed));
    CHECK_OK(read_flag(body, "maintenance_only", schedule.maintenance_only));
    CHECK_OK(read_flag(body, "active", schedule.active));
    if (const auto* const arguments = body.optional_value("arguments")) {
        if (!arguments->holds<api::value::list>() && !arguments->holds<api::value::record>())
            return fail(errc::invalid, "`arguments` must be a list or an object");
        schedule.arguments = json::serialize(to_json(*arguments));
    }
    CHECK_OK(read_rollout(body, schedule.rollout));
    CHECK_OK(body.finish());
    return check_complete(schedule);
}

}  // namespace

result<void> schedules_api::declare(registry& operations) {
    using namespace api;
    using access::right;
    CHECK_OK(operations.add(
        {.name = "schedules.list",
         .summary = "List recurring schedules",
         .path = collection_path,
         .gives = page_of(schedule_shape()),
         .needed = right::jobs_read},
        handler(this, &schedules_api::list)));
    CHECK_OK(operations.add(
        {.name = "schedules.show",
         .summary = "Get a recurring schedule and its next runs",
         .path = item_path,
         .takes = {in_path("name", name())},
         .gives = schedule_shape(),
         .needed = right::jobs_read},
        handler(this, &schedules_api::show)));
    CHECK_OK(operations.add(
        {.name = "schedules.create",
         .summary = "Create a recurring schedule",
         .method = verb::post,
         .path = collection_path,
         .takes = schedule_parameters(in_body("name", name())),
         .gives = schedule_shape(),
         .status = 201,
         .needed = right::schedules_change},
        handler(this, &schedules_api::add)));
    CHECK_OK(operations.add(
        {.name = "schedules.change",
         .summary = "Update a recurring schedule",
         .method = verb::patch,
         .path = item_path,
         .takes = schedule_parameters(in_path("name", name())),
         .gives = schedule_shape(),
         .needed = right::schedules_change},
        handler(this, &schedules_api::change)));
    return operations.add(
        {.name = "schedules.remove",
         .summary = "Delete a recurring schedule and keep its jobs",
         .method = verb::remove,
         .path = item_path,
         .takes = {in_path("name", name())},
         .gives = record_of({required("removed", name())}),
         .needed = right::schedules_change},
        handler(this, &schedules_api::remove));
}

result<std::shared_ptr<const windows::window_snapshot>> schedules_api::current() const {
    auto snapshot = windows_.current();
    if (!snapshot) return fail(errc::unavailable, "schedule cache is still loading; retry later");
    return snapshot;
}

async<reply> schedules_api::list(call /*call*/) {
    CO_TRY(const auto snapshot, current());
    json::array items;
    for (const auto& [name, schedule] : snapshot->schedules)
        items.push_back(schedule_json(name, schedule, clock_.wall()));
    co_return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

async<reply> schedules_api::show(call call) {
    CO_TRY(const auto snapshot, current());
    const auto& name = call.text("name");
    const auto it = snapshot->schedules.find(name);
    if (it == snapshot->schedules.end())
        co_return fail(errc::not_found, "schedule \"" + name + "\" not found");
    auto output = schedule_json(name, it->second, clock_.wall());
    json::array runs;
    auto next = schedules::next_run(it->second.timing, clock_.wall());
    while (next && runs.size() < runs_shown_max) {
        runs.emplace_back(iso_time(*next));
        next = schedules::next_run(it->second.timing, *next);
    }
    output["runs"] = std::move(runs);
    co_return reply{std::move(output)};
}

async<reply> schedules_api::add(call call) {
    CO_CHECK_OK(check_reach(call));
    auto body = call.body();
    CO_CHECK_OK(body.text("name"));
    windows::stored_schedule schedule;
    schedule.arguments = "[]";
    schedule.considered = clock_.wall();
    schedule.created = clock_.wall();
    schedule.created_by = call.caller().user;
    CO_CHECK_OK(read_schedule(body, schedule));
    CO_CHECK_OK(check_files(call, schedule));
    CO_CHECK_OK(check_windows(call, schedule));
    co_return co_await put(std::move(call), std::move(schedule), write_mode::create);
}

async<reply> schedules_api::change(call call) {
    CO_CHECK_OK(check_reach(call));
    auto body = call.body();
    CO_TRY(const auto snapshot, current());
    const auto& name = call.text("name");
    const auto it = snapshot->schedules.find(name);
    if (it == snapshot->schedules.end())
        co_return fail(errc::not_found, "schedule \"" + name + "\" not found");
    auto schedule = it->second.stored;
    const bool was_inactive = !schedule.active;
    CO_CHECK_OK(read_schedule(body, schedule));
    CO_CHECK_OK(check_files(call, schedule));
    CO_CHECK_OK(check_windows(call, schedule));
    // Runs while the schedule was inactive do not count as missed.
    if (was_inactive && schedule.active) schedule.considered = clock_.wall();
    co_return co_await put(std::move(call), std::move(schedule), write_mode::replace);
}

async<reply> schedules_api::put(call call, windows::stored_schedule schedule, write_mode mode) {
    const auto& name = call.text("name");
    CO_CHECK_OK(co_await within(
        clock_,
        engine_timeout,
        windows_.put_schedule(name, std::move(schedule), mode, call.caller().user)));
    CO_TRY(const auto snapshot, current());
    const auto it = snapshot->schedules.find(name);
    if (it == snapshot->schedules.end())
        co_return fail(errc::conflict, "schedule \"" + name + "\" was deleted concurrently");
    co_return reply{schedule_json(name, it->second, clock_.wall())};
}

async<reply> schedules_api::remove(call call) {
    const auto& name = call.text("name");
    CO_CHECK_OK(co_await within(
        clock_, engine_timeout, windows_.remove(record_kind::schedule, name, call.caller().user)));
    co_return reply{json::object{{"removed", name}}};
}

}  // namespace muster::api
