#include "services/scheduling/scheduled_job_creator.h"

#include "core/jobs/scheduled_job.h"
#include "ports/deadline.h"
#include "services/jobs/functions.h"
#include "services/scheduling/schedule_events.h"
#include "services/windows/window_admission.h"

#include <chrono>
#include <utility>

namespace muster::scheduling {

namespace {

using namespace std::chrono_literals;

constexpr auto plan_timeout = 25s;

jobs::scheduled_run to_scheduled_run(const schedule_runner::run& run) {
    return {
        .schedule = run.name,
        .planned = run.due.planned,
        .query = run.schedule.query,
        .rollout = run.schedule.rollout,
        .maintenance_only = run.schedule.maintenance_only};
}

}  // namespace

std::uint64_t scheduled_job_creator::remove_closed(
    const schedule_runner::run& run, fleet::system_set& targets) const {
    if (!run.schedule.maintenance_only) return 0;
    const auto snapshot = deps_.windows.current();
    const auto closed = windows::find_closed(snapshot.get(), targets, run.due.planned, {}, {});
    targets -= closed;
    if (!closed.empty())
        deps_.log.warning(
            "systems outside their maintenance window skipped",
            {{"schedule", run.name}, {"systems", closed.size()}});
    return closed.size();
}

async<void> scheduled_job_creator::skip(run_due run, std::string reason, std::uint64_t left_out) {
    const skipped_run skipped{
        .schedule = run.name,
        .planned = run.due.planned,
        .reason = std::move(reason),
        .left_out = left_out};
    std::vector<event_record> events{schedule_skipped_event(skipped, deps_.clock.wall())};
    co_return co_await deps_.events.write(std::move(events));
}

async<void> scheduled_job_creator::record_skipped(run_due run, error reason) {
    co_return co_await skip(std::move(run), reason.detail(), 0);
}

async<void> scheduled_job_creator::record_missed(std::string schedule, schedules::due_result due) {
    std::vector<event_record> events{schedule_missed_event(schedule, due)};
    co_return co_await deps_.events.write(std::move(events));
}

jobs::job_service::new_job scheduled_job_creator::build_job(
    const run_due& run, fleet::system_set targets, work work) {
    const auto scheduled_run = to_scheduled_run(run);
    auto request_key = jobs::idempotency_of(scheduled_run);
    const auto timeout =
        jobs::default_timeout({.function = work.function, .arguments = work.arguments});
    return {
        .spec = jobs::spec_of(
            scheduled_run,
            {.function = std::move(work.function),
             .arguments = std::move(work.arguments),
             .timeout = timeout}),
        .targets = std::move(targets),
        .idempotency_key = std::move(request_key.key),
        .digest = std::move(request_key.digest)};
}

async<void> scheduled_job_creator::start(run_due run) {
    CO_TRY(auto targets, deps_.systems.resolve(run.schedule.query));
    const auto left_out = remove_closed(run, targets);
    if (auto reason = jobs::skip_reason(targets.size(), left_out))
        co_return co_await skip(std::move(run), *std::move(reason), left_out);
    if (run.schedule.function == configuration::deployment::scheduled_as)
        co_return co_await start_deployment(std::move(run), std::move(targets), left_out);
    CO_TRY(auto arguments, jobs::to_argument_object(run.schedule.function, run.schedule.arguments));
    work work{.function = run.schedule.function, .arguments = std::move(arguments)};
    auto created =
        co_await deps_.job_service.create(build_job(run, std::move(targets), std::move(work)));
    if (!created) co_return fail(created.error());
    std::vector<event_record> events{schedule_ran_event(
        run, {created->record}, {.targets = created->record.targets, .left_out = left_out})};
    co_return co_await deps_.events.write(std::move(events));
}

async<std::vector<jobs::job_service::new_job>> scheduled_job_creator::build_deployment_jobs(
    run_due run,
    std::vector<configuration::deployment::part> parts,
    configuration::deployment::mode mode) const {
    std::vector<jobs::job_service::new_job> new_jobs;
    for (auto& part : parts) {
        auto building = deps_.deployment.arguments_of(std::move(part.files), mode);
        CO_TRY(auto argument_sets, co_await within(deps_.clock, plan_timeout, std::move(building)));
        for (auto& arguments : argument_sets) {
            CO_CHECK_OK(jobs::check_deployment_jobs(new_jobs.size() + 1));
            work work{.function = "files.deploy", .arguments = std::move(arguments)};
            new_jobs.push_back(build_job(run, part.systems, std::move(work)));
        }
    }
    co_return new_jobs;
}

async<void> scheduled_job_creator::start_deployment(
    run_due run, fleet::system_set targets, std::uint64_t left_out) {
    constexpr auto systems_max = configuration::deployed_systems_max;
    CO_TRY(auto request, configuration::deployment::parse_request(run.schedule.arguments));
    CO_CHECK_OK(jobs::check_deployed_systems(targets.size(), systems_max));
    auto planning = deps_.deployment.plan(
        targets.page(system_number(0), systems_max), std::move(request.files));
    CO_TRY(auto plan, co_await within(deps_.clock, plan_timeout, std::move(planning)));
    run_targets reached{.targets = 0, .left_out = left_out, .by_expression = plan.left_out.size()};
    for (const auto& part : plan.parts) reached.targets += part.systems.size();
    CO_TRY(auto new_jobs, co_await build_deployment_jobs(run, std::move(plan.parts), request.mode));
    if (new_jobs.empty()) {
        auto reason = configuration::explain_empty_plan(reached.by_expression);
        co_return co_await skip(std::move(run), std::move(reason), left_out);
    }
    auto request_key = jobs::idempotency_of(to_scheduled_run(run));
    auto creating = deps_.job_service.create_together(
        std::move(new_jobs),
        {.key = std::move(request_key.key), .digest = std::move(request_key.digest)});
    CO_TRY(const auto created, co_await std::move(creating));
    std::vector<event_record> events{schedule_ran_event(run, created, reached)};
    co_return co_await deps_.events.write(std::move(events));
}

}  // namespace muster::scheduling
