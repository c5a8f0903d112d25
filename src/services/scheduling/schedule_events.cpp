#include "services/scheduling/schedule_events.h"

#include "base/assert.h"
#include "base/iso_time.h"
#include "core/events/event_kind.h"
#include "core/events/new_event.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::scheduling {

namespace json = boost::json;

event_record run_notice(
    const schedule_runner::run& run,
    const std::vector<job_record>& result,
    const run_extent& extent) {
    MUSTER_ASSERT(!result.empty());
    auto event = events::new_event(
        events::kind::schedule_ran, "schedule/" + run.name + "/ran", run.due.planned);
    event.at = made_at(result.front().job);
    event.job = result.front().job;
    json::array jobs;
    for (const auto& job : result) jobs.emplace_back(to_string(job.job));
    json::object response{
        {"schedule", run.name},
        {"planned", iso_time(run.due.planned)},
        {"jobs", std::move(jobs)},
        {"targets", extent.targets},
        {"left_out", extent.left_out},
        {"late", run.due.late}};
    if (extent.by_expression > 0) response["by_expression"] = extent.by_expression;
    event.data = json::serialize(response);
    return event;
}

event_record skip_notice(const skipped_run& skipped_run, wall_time now) {
    auto event = events::new_event(
        events::kind::schedule_skipped,
        "schedule/" + skipped_run.schedule + "/skipped",
        skipped_run.planned);
    event.at = now;
    event.data = json::serialize(json::object{
        {"schedule", skipped_run.schedule},
        {"planned", iso_time(skipped_run.planned)},
        {"reason", skipped_run.reason},
        {"left_out", skipped_run.left_out}});
    return event;
}

event_record missed_notice(const std::string& schedule, const schedules::due_answer& due) {
    auto event = events::new_event(
        events::kind::schedule_missed, "schedule/" + schedule + "/missed", due.considered);
    event.data = json::serialize(json::object{{"schedule", schedule}, {"missed", due.missed}});
    return event;
}

}  // namespace muster::scheduling
