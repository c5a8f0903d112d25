// jobs_api: maintenance windows. Checks overrides and forecasts in which windows jobs run.

#include "api/rest/jobs_api.h"
#include "api/rest/windows_json.h"
#include "core/rollout/plan.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;

constexpr std::size_t plans_max = 50;

shape waiting_shape() {
    return record_of(
        {required("job", name()),
         required("function", text()),
         required("query", text()),
         required("by", text()),
         required("note", text()),
         required("stage", name()),
         required("at", api::time().or_nothing()),
         required("targets", integer(0)),
         required("waiting", integer(0).with_about("systems where the job has not started")),
         required("forecast", anything().or_nothing())});
}

}  // namespace

result<void> jobs_api::declare_plans(registry& operations) {
    return operations.add(
        {.name = "windows.plans",
         .summary = "List open jobs planned for maintenance windows",
         .path = "/api/v1/windows/plans",
         .gives = record_of(
             {required("items", list_of(waiting_shape())),
              required("next", text().or_nothing()),
              required("beyond", integer(0).with_about("number of further jobs not listed"))}),
         .needed = access::right::jobs_read,
         .within = scope::filtered},
        handler(this, &jobs_api::list_plans));
}

// Whether any target has windows to wait for.
async<bool> jobs_api::has_windows(job_id job) const {
    if (deps_.windows == nullptr) co_return true;
    auto pending_read = deps_.reader.job_store().find_targets(job);
    CO_TRY(
        const auto job_targets,
        co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    CO_TRY(const auto scheduled, deps_.windows->find_scheduled(job_targets.systems));
    co_return !scheduled.empty();
}

result<job_spec::window_rule> jobs_api::decide_window_rule(
    const call& call, const jobs::job_service::new_job& new_job) const {
    using jobs::override_need;
    const auto rule = new_job.spec.windows;
    const auto need = jobs::required_override(rule, new_job.checked->changes_system());
    const bool only_scheduled = need == override_need::scheduled;
    if (need == override_need::none || (only_scheduled && deps_.windows == nullptr)) return rule;
    auto systems = new_job.targets;
    if (only_scheduled) {
        TRY(systems, deps_.windows->find_scheduled(new_job.targets));
    }
    const auto zones = call.zones_with(access::right::windows_override);
    const bool has_right = !zones || deps_.targets.among(*zones, systems).size() == systems.size();
    return jobs::effective_window_rule(rule, need, systems.size(), has_right);
}

async<json::value> jobs_api::forecast_json_of(jobs::job_plan job_plan) const {
    if (deps_.windows == nullptr) co_return json::value(nullptr);
    auto pending_forecast = deps_.windows->forecast(std::move(job_plan));
    CO_TRY(
        const auto forecast,
        co_await within(deps_.clock, engine_timeout, std::move(pending_forecast)));
    co_return forecast ? json::value(forecast_json(*forecast)) : json::value(nullptr);
}

async<json::object> jobs_api::plan_json_of(jobs::stored_job job) const {
    const auto& record = job.record;
    CO_TRY(const auto detail, co_await deps_.reader.read(record.job));
    jobs::job_plan remaining{.spec = record.spec, .phase = record.phase};
    remaining.targets.systems = detail.tasks->sets.members(task_state::queued, record.stage);
    remaining.concurrency = rollout::concurrency_of(record.spec.rollout, record.targets);
    if (!remaining.spec.not_before)
        remaining.spec.not_before = created_at(record.job);  // expiry counts from it
    auto job_fields = job_json(record, std::nullopt);
    json::object response{
        {"job", job_fields["id"]},
        {"function", job_fields["function"]},
        {"query", job_fields["query"]},
        {"by", job_fields["by"]},
        {"note", job_fields["note"]},
        {"stage", job_fields["stage"]},
        {"at", job_fields["options"].as_object()["at"]},
        {"targets", record.targets},
        {"waiting", remaining.targets.systems.size()},
        {"forecast", nullptr}};
    CO_TRY(response["forecast"], co_await forecast_json_of(std::move(remaining)));
    co_return response;
}

async<reply> jobs_api::list_plans(call call) {
    CO_TRY(
        const auto open_jobs,
        co_await within(deps_.clock, engine_timeout, deps_.reader.job_store().read_open()));
    json::array items;
    std::uint64_t beyond = 0;
    for (const auto& job : open_jobs) {
        if (!respects_windows(job.record.spec)) continue;
        if (job.record.stage == job_stage::cancelling) continue;  // starts no more tasks
        if (call.zones() && !co_await check_visible(call, job.record.job)) continue;
        CO_TRY(const bool waits_for_windows, co_await has_windows(job.record.job));
        if (!waits_for_windows) continue;
        if (items.size() == plans_max) {
            ++beyond;
            continue;
        }
        CO_TRY(auto plan, co_await plan_json_of(job));
        items.push_back(std::move(plan));
    }
    co_return reply{
        json::object{{"items", std::move(items)}, {"next", nullptr}, {"beyond", beyond}}};
}

}  // namespace muster::api
