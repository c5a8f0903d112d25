#include "apps/muster/server/scheduled_jobs.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "roles/events/notices.h"
#include "roles/jobs/chain_steps.h"
#include "roles/windows/window_gate.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::server {

namespace json = boost::json;

namespace {

// Of one run that deploys files: more are the sign of a query that is too wide.
constexpr std::size_t deployment_jobs_max = 100;
constexpr std::size_t systems_at_once = 100'000;
constexpr std::size_t part_digits = 16;

}  // namespace

result<std::string> arguments_of(const windows::stored_schedule& schedule) {
    json::error_code failed;
    const auto given = json::parse(schedule.arguments, failed);
    if (!failed && given.is_object()) return schedule.arguments;
    if (!failed && given.is_array() && given.as_array().empty()) return std::string("{}");
    if (!failed && given.is_array() && schedule.function == "cmd.run")
        return json::serialize(json::object{{"cmd", given}});
    return fail(
        errc::invalid,
        "the arguments of " + schedule.function + " are an object such as {\"cmd\":[\"uptime\"]}");
}

std::uint64_t scheduled_jobs::leave_out_closed(
    const windows::schedule_runner::run& run, fleet::system_set& targets) const {
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

async<job_record> scheduled_jobs::make(run_due run, fleet::system_set targets, work what) {
    job_spec spec{
        .function = std::move(what.function),
        .arguments = std::move(what.arguments),
        .query = run.what.query,
        .by = "schedule " + run.name,
        .note = "planned for " + windows::spoken(run.due.planned)};
    spec.timeout = jobs::usual_time(spec);
    spec.rollout = run.what.rollout;
    spec.windows =
        run.what.maintenance_only ? job_spec::window_rule::respect : job_spec::window_rule::ignore;
    const auto planned = std::to_string(run.due.planned.time_since_epoch().count());
    const auto made = co_await around_.desk.make(
        {.spec = std::move(spec),
         .targets = std::move(targets),
         .claim = "schedule " + run.name + " " + planned + what.part,
         .digest = planned});
    if (!made) co_return fail(made.error());
    co_return made->record;
}

async<void> scheduled_jobs::start(run_due run) {
    CO_TRY(auto targets, around_.resolve(run.what.query));
    const auto left_out = leave_out_closed(run, targets);
    if (targets.empty() && left_out > 0)
        co_return co_await skip(
            std::move(run), "no system was within its maintenance window", left_out);
    if (run.what.function == config::deployment::scheduled_as)
        co_return co_await start_deployment(std::move(run), std::move(targets), left_out);
    CO_TRY(auto arguments, arguments_of(run.what));
    work what{.function = run.what.function, .arguments = std::move(arguments)};
    CO_TRY(auto made, co_await make(run, std::move(targets), std::move(what)));
    std::vector<event_record> told{events::run_notice(run, {std::move(made)}, left_out)};
    co_return co_await around_.events.write(std::move(told));
}

async<void> scheduled_jobs::start_deployment(
    run_due run, fleet::system_set targets, std::uint64_t left_out) {
    CO_TRY(const auto wanted, config::deployment::read_order(run.what.arguments));
    std::vector<job_record> made;
    for (auto some = targets.page(system_number(0), systems_at_once); !some.empty();
         some = targets.page(system_number(some.back().value() + 1), systems_at_once)) {
        CO_TRY(const auto plan, co_await around_.deployed.plan(some, wanted.of));
        for (const auto& part : plan.parts) {
            CO_TRY(const auto all, co_await around_.deployed.arguments_of(part.files, wanted.how));
            for (const auto& arguments : all) {
                if (made.size() == deployment_jobs_max)
                    co_return fail(
                        errc::invalid,
                        fmt::format(
                            "its systems need more than {} jobs, because they get different files",
                            deployment_jobs_max));
                const auto digest = to_hex(pki::sha256(arguments)).substr(0, part_digits);
                work what{
                    .function = "files.deploy",
                    .arguments = arguments,
                    .part = fmt::format(" {} {}", digest, part.systems.smallest()->value())};
                CO_TRY(auto job, co_await make(run, part.systems, std::move(what)));
                made.push_back(std::move(job));
            }
        }
    }
    if (made.empty())
        co_return co_await skip(
            std::move(run), "none of its systems has configuration files", left_out);
    std::vector<event_record> told{events::run_notice(run, made, left_out)};
    co_return co_await around_.events.write(std::move(told));
}

}  // namespace muster::server
