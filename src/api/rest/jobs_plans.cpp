// The part of jobs_api that is about windows: who may start outside of them, and what will run in
// which.

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
         required("waiting", integer(0).with_about("systems where it has not started")),
         required("forecast", anything().or_nothing())});
}

}  // namespace

result<void> jobs_api::declare_plans(registry& to) {
    return to.add(
        {.name = "windows.plans",
         .summary = "What will run in which window: the open jobs that respect windows",
         .path = "/api/v1/windows/plans",
         .gives = record_of(
             {required("items", list_of(waiting_shape())),
              required("next", text().or_nothing()),
              required("beyond", integer(0).with_about("further jobs that are not shown"))}),
         .needed = access::right::jobs_read,
         .within = scope::filtered},
        done_by(this, &jobs_api::list_plans));
}

// Where nobody has windows there is nothing to wait for.
async<bool> jobs_api::meets_windows(job_id job) const {
    if (deps_.windows == nullptr) co_return true;
    auto reading = deps_.reader.records().audience(job);
    CO_TRY(const auto who, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    CO_TRY(const auto held, deps_.windows->with_schedule(who.targets));
    co_return !held.empty();
}

result<job_spec::window_rule> jobs_api::settle_windows(
    const call& call, const jobs::job_service::new_job& new_job) const {
    using jobs::override_need;
    const auto rule = new_job.spec.windows;
    const auto need = jobs::override_needed(rule, new_job.checked->changes_system());
    const bool of_scheduled = need == override_need::scheduled;
    if (need == override_need::nobody || (of_scheduled && deps_.windows == nullptr)) return rule;
    auto systems = new_job.targets;
    if (of_scheduled) {
        TRY(systems, deps_.windows->with_schedule(new_job.targets));
    }
    const auto zones = call.zones_with(access::right::windows_override);
    const bool has_right = !zones || deps_.targets.among(*zones, systems).size() == systems.size();
    return jobs::settled_windows(rule, need, systems.size(), has_right);
}

async<json::value> jobs_api::forecast_of(jobs::job_plan job_plan) const {
    if (deps_.windows == nullptr) co_return json::value(nullptr);
    auto foreseeing = deps_.windows->foresee(std::move(job_plan));
    CO_TRY(
        const auto foreseen, co_await within(deps_.clock, engine_timeout, std::move(foreseeing)));
    co_return foreseen ? json::value(forecast_json(*foreseen)) : json::value(nullptr);
}

async<json::object> jobs_api::plan_of(jobs::stored_job job) const {
    const auto& record = job.record;
    CO_TRY(const auto read, co_await deps_.reader.read(record.job));
    jobs::job_plan left{.spec = record.spec, .phase = record.phase};
    left.who.targets = read.tasks->sets.members(task_state::queued, record.stage);
    left.places = rollout::places_of(record.spec.rollout, record.targets);
    if (!left.spec.not_before) left.spec.not_before = made_at(record.job);  // it expires by that
    auto output = job_json(record, std::nullopt);
    json::object response{
        {"job", output["id"]},
        {"function", output["function"]},
        {"query", output["query"]},
        {"by", output["by"]},
        {"note", output["note"]},
        {"stage", output["stage"]},
        {"at", output["options"].as_object()["at"]},
        {"targets", record.targets},
        {"waiting", left.who.targets.size()},
        {"forecast", nullptr}};
    CO_TRY(response["forecast"], co_await forecast_of(std::move(left)));
    co_return response;
}

async<reply> jobs_api::list_plans(call call) {
    CO_TRY(
        const auto open,
        co_await within(deps_.clock, engine_timeout, deps_.reader.records().read_open()));
    json::array items;
    std::uint64_t beyond = 0;
    for (const auto& each : open) {
        if (!heeds_windows(each.record.spec)) continue;
        if (each.record.stage == job_stage::cancelling) continue;  // nothing more is started
        if (call.zones() && !co_await check_visible(call, each.record.job)) continue;
        CO_TRY(const bool meets, co_await meets_windows(each.record.job));
        if (!meets) continue;
        if (items.size() == plans_max) {
            ++beyond;
            continue;
        }
        CO_TRY(auto plan, co_await plan_of(each));
        items.push_back(std::move(plan));
    }
    co_return reply{
        json::object{{"items", std::move(items)}, {"next", nullptr}, {"beyond", beyond}}};
}

}  // namespace muster::api
