#include "apps/muster/server/scheduled_jobs.h"

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

async<void> scheduled_jobs::start(windows::schedule_runner::run run) {
    CO_TRY(auto targets, around_.resolve(run.what.query));
    if (run.what.maintenance_only) {
        const auto view = around_.windows.current();
        const auto outside = windows::closed_now(view.get(), targets, run.due.planned, {}, {});
        targets -= outside;
        if (!outside.empty())
            around_.log.warning(
                "a run of a schedule leaves out systems that are outside of their window",
                {{"schedule", run.name}, {"systems", outside.size()}});
    }
    job_spec spec{
        .function = run.what.function,
        .query = run.what.query,
        .by = "schedule " + run.name,
        .note = "planned for " + windows::spoken(run.due.planned)};
    CO_TRY(spec.arguments, arguments_of(run.what));
    if (run.what.maintenance_only) spec.windows = job_spec::window_rule::respect;
    const auto planned = std::to_string(run.due.planned.time_since_epoch().count());
    const auto made = co_await around_.desk.make(
        {.spec = std::move(spec),
         .targets = std::move(targets),
         .claim = "schedule " + run.name + " " + planned,
         .digest = planned});
    if (!made) co_return fail(made.error());
    co_return result<void>();
}

}  // namespace muster::server
