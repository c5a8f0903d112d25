#include "apps/muster/server/scheduled_jobs.h"

#include "roles/events/notices.h"
#include "roles/jobs/chain_steps.h"
#include "roles/windows/window_gate.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::server {

namespace json = boost::json;

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

async<void> scheduled_jobs::tell_left_out(windows::schedule_runner::run run, error why) {
    const events::skipped_run what{
        .schedule = run.name, .planned = run.due.planned, .reason = why.detail(), .left_out = 0};
    std::vector<event_record> told{events::skip_notice(what, around_.time.wall())};
    co_return co_await around_.events.write(std::move(told));
}

async<void> scheduled_jobs::tell_missed(std::string schedule, schedules::due_answer due) {
    std::vector<event_record> told{events::missed_notice(schedule, due)};
    co_return co_await around_.events.write(std::move(told));
}

async<void> scheduled_jobs::start(windows::schedule_runner::run run) {
    CO_TRY(auto targets, around_.resolve(run.what.query));
    const auto left_out = leave_out_closed(run, targets);
    if (targets.empty() && left_out > 0) {
        const events::skipped_run what{
            .schedule = run.name,
            .planned = run.due.planned,
            .reason = "no system was within its maintenance window",
            .left_out = left_out};
        std::vector<event_record> told{events::skip_notice(what, around_.time.wall())};
        co_return co_await around_.events.write(std::move(told));
    }
    job_spec spec{
        .function = run.what.function,
        .query = run.what.query,
        .by = "schedule " + run.name,
        .note = "planned for " + windows::spoken(run.due.planned)};
    CO_TRY(spec.arguments, arguments_of(run.what));
    spec.timeout = jobs::usual_time(spec);
    spec.rollout = run.what.rollout;
    spec.windows =
        run.what.maintenance_only ? job_spec::window_rule::respect : job_spec::window_rule::ignore;
    const auto planned = std::to_string(run.due.planned.time_since_epoch().count());
    const auto made = co_await around_.desk.make(
        {.spec = std::move(spec),
         .targets = std::move(targets),
         .claim = "schedule " + run.name + " " + planned,
         .digest = planned});
    if (!made) co_return fail(made.error());
    std::vector<event_record> told{events::run_notice(run, made->record, left_out)};
    co_return co_await around_.events.write(std::move(told));
}

}  // namespace muster::server
