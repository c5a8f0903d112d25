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

jobs::scheduled_run scheduled(const schedule_runner::run& run) {
    return {
        .schedule = run.name,
        .planned = run.due.planned,
        .query = run.what.query,
        .rollout = run.what.rollout,
        .maintenance_only = run.what.maintenance_only};
}

}  // namespace

std::uint64_t scheduled_job_creator::leave_out_closed(
    const schedule_runner::run& run, fleet::system_set& targets) const {
    if (!run.what.maintenance_only) return 0;
    const auto view = deps_.windows.current();
    const auto outside = windows::closed_now(view.get(), targets, run.due.planned, {}, {});
    targets -= outside;
    if (!outside.empty())
        deps_.log.warning(
            "a run of a schedule leaves out systems that are outside of their window",
            {{"schedule", run.name}, {"systems", outside.size()}});
    return outside.size();
}

async<void> scheduled_job_creator::skip(run_due run, std::string reason, std::uint64_t left_out) {
    const skipped_run skipped_run{
        .schedule = run.name,
        .planned = run.due.planned,
        .reason = std::move(reason),
        .left_out = left_out};
    std::vector<event_record> response{skip_notice(skipped_run, deps_.clock.wall())};
    co_return co_await deps_.events.write(std::move(response));
}

async<void> scheduled_job_creator::tell_left_out(run_due run, error why) {
    co_return co_await skip(std::move(run), why.detail(), 0);
}

async<void> scheduled_job_creator::tell_missed(std::string schedule, schedules::due_answer due) {
    std::vector<event_record> response{missed_notice(schedule, due)};
    co_return co_await deps_.events.write(std::move(response));
}

jobs::job_service::new_job scheduled_job_creator::wanted(
    const run_due& run, fleet::system_set targets, work work) {
    const auto of = scheduled(run);
    auto claim = jobs::claim_of(of);
    const auto usual = jobs::usual_time({.function = work.function, .arguments = work.arguments});
    return {
        .spec = jobs::spec_of(
            of,
            {.function = std::move(work.function),
             .arguments = std::move(work.arguments),
             .timeout = usual}),
        .targets = std::move(targets),
        .claim = std::move(claim.key),
        .digest = std::move(claim.digest)};
}

async<void> scheduled_job_creator::start(run_due run) {
    CO_TRY(auto targets, deps_.systems.resolve(run.what.query));
    const auto left_out = leave_out_closed(run, targets);
    if (auto why = jobs::why_skipped(targets.size(), left_out))
        co_return co_await skip(std::move(run), *std::move(why), left_out);
    if (run.what.function == configuration::deployment::scheduled_as)
        co_return co_await start_deployment(std::move(run), std::move(targets), left_out);
    CO_TRY(auto arguments, jobs::arguments_as_object(run.what.function, run.what.arguments));
    work work{.function = run.what.function, .arguments = std::move(arguments)};
    auto result = co_await deps_.job_service.make(wanted(run, std::move(targets), std::move(work)));
    if (!result) co_return fail(result.error());
    std::vector<event_record> response{run_notice(
        run, {result->record}, {.targets = result->record.targets, .left_out = left_out})};
    co_return co_await deps_.events.write(std::move(response));
}

async<std::vector<jobs::job_service::new_job>> scheduled_job_creator::jobs_of(
    run_due run,
    std::vector<configuration::deployment::part> parts,
    configuration::deployment::mode mode) const {
    std::vector<jobs::job_service::new_job> new_jobs;
    for (auto& part : parts) {
        auto filling = deps_.deployed.arguments_of(std::move(part.files), mode);
        CO_TRY(auto all, co_await within(deps_.clock, plan_timeout, std::move(filling)));
        for (auto& each : all) {
            CO_CHECK_OK(jobs::check_deployment_jobs(new_jobs.size() + 1));
            work work{.function = "files.deploy", .arguments = std::move(each)};
            new_jobs.push_back(wanted(run, part.systems, std::move(work)));
        }
    }
    co_return new_jobs;
}

async<void> scheduled_job_creator::start_deployment(
    run_due run, fleet::system_set targets, std::uint64_t left_out) {
    constexpr auto systems_max = configuration::deployed_systems_max;
    CO_TRY(auto order, configuration::deployment::read_order(run.what.arguments));
    CO_CHECK_OK(jobs::check_deployed_systems(targets.size(), systems_max));
    auto planning =
        deps_.deployed.plan(targets.page(system_number(0), systems_max), std::move(order.of));
    CO_TRY(auto plan, co_await within(deps_.clock, plan_timeout, std::move(planning)));
    run_extent extent{.targets = 0, .left_out = left_out, .by_expression = plan.left_out.size()};
    for (const auto& part : plan.parts) extent.targets += part.systems.size();
    CO_TRY(auto parts, co_await jobs_of(run, std::move(plan.parts), order.how));
    if (parts.empty()) {
        auto reason = configuration::why_nothing(extent.by_expression);
        co_return co_await skip(std::move(run), std::move(reason), left_out);
    }
    auto claim = jobs::claim_of(scheduled(run));
    auto making = deps_.job_service.make_together(
        std::move(parts), {.key = std::move(claim.key), .digest = std::move(claim.digest)});
    CO_TRY(const auto result, co_await std::move(making));
    std::vector<event_record> response{run_notice(run, result, extent)};
    co_return co_await deps_.events.write(std::move(response));
}

}  // namespace muster::scheduling
