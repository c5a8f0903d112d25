#include "apps/muster/server/scheduled_jobs.h"

#include "api/rest/configuration_api.h"
#include "core/jobs/scheduled_job.h"
#include "ports/deadline.h"
#include "services/events/notices.h"
#include "services/jobs/functions.h"
#include "services/windows/window_gate.h"

#include <chrono>
#include <utility>

namespace muster::server {

namespace {

using namespace std::chrono_literals;

constexpr auto plan_patience = 25s;

jobs::scheduled_run scheduled(const scheduling::schedule_runner::run& run) {
    return {
        .schedule = run.name,
        .planned = run.due.planned,
        .query = run.what.query,
        .rollout = run.what.rollout,
        .maintenance_only = run.what.maintenance_only};
}

}  // namespace

std::uint64_t scheduled_jobs::leave_out_closed(
    const scheduling::schedule_runner::run& run, fleet::system_set& targets) const {
    if (!run.what.maintenance_only) return 0;
    const auto view = around_.windows.current();
    const auto outside = windows::closed_now(view.get(), targets, run.due.planned, {}, {});
    targets -= outside;
    if (!outside.empty())
        around_.log.warning(
            "a run of a schedule leaves out systems that are outside of their window",
            {{"schedule", run.name}, {"systems", outside.size()}});
    return outside.size();
}

async<void> scheduled_jobs::skip(run_due run, std::string reason, std::uint64_t left_out) {
    const events::skipped_run what{
        .schedule = run.name,
        .planned = run.due.planned,
        .reason = std::move(reason),
        .left_out = left_out};
    std::vector<event_record> told{events::skip_notice(what, around_.time.wall())};
    co_return co_await around_.events.write(std::move(told));
}

async<void> scheduled_jobs::tell_left_out(run_due run, error why) {
    co_return co_await skip(std::move(run), why.detail(), 0);
}

async<void> scheduled_jobs::tell_missed(std::string schedule, schedules::due_answer due) {
    std::vector<event_record> told{events::missed_notice(schedule, due)};
    co_return co_await around_.events.write(std::move(told));
}

jobs::job_desk::wanted_job scheduled_jobs::wanted(
    const run_due& run, fleet::system_set targets, work what) {
    const auto of = scheduled(run);
    auto claim = jobs::claim_of(of);
    const auto usual = jobs::usual_time({.function = what.function, .arguments = what.arguments});
    return {
        .spec = jobs::spec_of(
            of,
            {.function = std::move(what.function),
             .arguments = std::move(what.arguments),
             .timeout = usual}),
        .targets = std::move(targets),
        .claim = std::move(claim.key),
        .digest = std::move(claim.digest)};
}

async<void> scheduled_jobs::start(run_due run) {
    CO_TRY(auto targets, around_.resolve(run.what.query));
    const auto left_out = leave_out_closed(run, targets);
    if (auto why = jobs::why_skipped(targets.size(), left_out))
        co_return co_await skip(std::move(run), *std::move(why), left_out);
    if (run.what.function == configuration::deployment::scheduled_as)
        co_return co_await start_deployment(std::move(run), std::move(targets), left_out);
    CO_TRY(auto arguments, jobs::arguments_as_object(run.what.function, run.what.arguments));
    work what{.function = run.what.function, .arguments = std::move(arguments)};
    auto made = co_await around_.desk.make(wanted(run, std::move(targets), std::move(what)));
    if (!made) co_return fail(made.error());
    std::vector<event_record> told{events::run_notice(
        run, {made->record}, {.targets = made->record.targets, .left_out = left_out})};
    co_return co_await around_.events.write(std::move(told));
}

async<std::vector<jobs::job_desk::wanted_job>> scheduled_jobs::jobs_of(
    run_due run,
    std::vector<configuration::deployment::part> parts,
    configuration::deployment::mode how) const {
    std::vector<jobs::job_desk::wanted_job> made;
    for (auto& part : parts) {
        auto filling = around_.deployed.arguments_of(std::move(part.files), how);
        CO_TRY(auto all, co_await within(around_.time, plan_patience, std::move(filling)));
        for (auto& each : all) {
            CO_CHECK_OK(jobs::check_deployment_jobs(made.size() + 1));
            work what{.function = "files.deploy", .arguments = std::move(each)};
            made.push_back(wanted(run, part.systems, std::move(what)));
        }
    }
    co_return made;
}

async<void> scheduled_jobs::start_deployment(
    run_due run, fleet::system_set targets, std::uint64_t left_out) {
    constexpr auto systems_max = api::configuration_api::systems_max;
    CO_TRY(auto order, configuration::deployment::read_order(run.what.arguments));
    CO_CHECK_OK(jobs::check_deployed_systems(targets.size(), systems_max));
    auto planning =
        around_.deployed.plan(targets.page(system_number(0), systems_max), std::move(order.of));
    CO_TRY(auto plan, co_await within(around_.time, plan_patience, std::move(planning)));
    events::run_extent extent{
        .targets = 0, .left_out = left_out, .by_expression = plan.left_out.size()};
    for (const auto& part : plan.parts) extent.targets += part.systems.size();
    CO_TRY(auto parts, co_await jobs_of(run, std::move(plan.parts), order.how));
    if (parts.empty()) {
        auto reason = configuration::why_nothing(extent.by_expression);
        co_return co_await skip(std::move(run), std::move(reason), left_out);
    }
    auto claim = jobs::claim_of(scheduled(run));
    auto making = around_.desk.make_together(
        std::move(parts), {.key = std::move(claim.key), .digest = std::move(claim.digest)});
    CO_TRY(const auto made, co_await std::move(making));
    std::vector<event_record> told{events::run_notice(run, made, extent)};
    co_return co_await around_.events.write(std::move(told));
}

}  // namespace muster::server
