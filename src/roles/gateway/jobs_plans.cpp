// The part of jobs_api that tells what will run in which window.

#include "core/rollout/plan.h"
#include "roles/gateway/jobs_api.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::gateway {
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

async<json::object> jobs_api::plan_of(jobs::stored_job job) const {
    const auto& record = job.record;
    CO_TRY(const auto read, co_await around_.reads.read(record.job));
    jobs::job_desk::plan left{.spec = record.spec, .phase = record.phase};
    left.who.targets = read.tasks->sets.members(task_state::queued, record.stage);
    left.places = rollout::places_of(record.spec.rollout, record.targets);
    auto shown = job_json(record, std::nullopt);
    json::object told{
        {"job", shown["id"]},
        {"function", shown["function"]},
        {"query", shown["query"]},
        {"by", shown["by"]},
        {"note", shown["note"]},
        {"stage", shown["stage"]},
        {"at", shown["options"].as_object()["at"]},
        {"targets", record.targets},
        {"waiting", left.who.targets.size()},
        {"forecast", nullptr}};
    if (around_.forecast) {
        auto foreseeing = around_.forecast(std::move(left));
        CO_TRY(
            told["forecast"],
            co_await within(around_.time, engine_patience, std::move(foreseeing)));
    }
    co_return told;
}

async<reply> jobs_api::list_plans(call asked) {
    CO_TRY(
        const auto open,
        co_await within(around_.time, engine_patience, around_.reads.records().read_open()));
    json::array items;
    std::uint64_t beyond = 0;
    for (const auto& each : open) {
        if (each.record.spec.windows != job_spec::window_rule::respect) continue;
        if (each.record.stage == job_stage::cancelling) continue;  // nothing more is started
        if (asked.zones() && !co_await check_visible(asked, each.record.job)) continue;
        if (items.size() == plans_max) {
            ++beyond;
            continue;
        }
        CO_TRY(auto shown, co_await plan_of(each));
        items.push_back(std::move(shown));
    }
    co_return reply{
        json::object{{"items", std::move(items)}, {"next", nullptr}, {"beyond", beyond}}};
}

}  // namespace muster::gateway
