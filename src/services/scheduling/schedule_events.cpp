#include "services/scheduling/schedule_events.h"

#include "base/assert.h"
#include "base/iso_time.h"
#include "core/events/event_kind.h"
#include "core/events/new_event.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::scheduling {

namespace json = boost::json;

event_record schedule_ran_event(
    const schedule_runner::run& run,
    const std::vector<job_record>& jobs,
    const run_targets& targets) {
    MUSTER_ASSERT(!jobs.empty());
    auto event = events::new_event(
        events::kind::schedule_ran, "schedule/" + run.name + "/ran", run.due.planned);
    event.at = created_at(jobs.front().job);
    event.job = jobs.front().job;
    json::array job_ids;
    for (const auto& job : jobs) job_ids.emplace_back(to_string(job.job));
    json::object data{
        {"schedule", run.name},
        {"planned", iso_time(run.due.planned)},
        {"jobs", std::move(job_ids)},
        {"targets", targets.targets},
        {"left_out", targets.left_out},
        {"late", run.due.late}};
    if (targets.by_expression > 0) data["by_expression"] = targets.by_expression;
    event.data = json::serialize(data);
    return event;
}

event_record schedule_skipped_event(const skipped_run& skipped, wall_time now) {
    auto event = events::new_event(
        events::kind::schedule_skipped,
        "schedule/" + skipped.schedule + "/skipped",
        skipped.planned);
    event.at = now;
    event.data = json::serialize(json::object{
        {"schedule", skipped.schedule},
        {"planned", iso_time(skipped.planned)},
        {"reason", skipped.reason},
        {"left_out", skipped.left_out}});
    return event;
}

event_record schedule_missed_event(const std::string& schedule, const schedules::due_result& due) {
    auto event = events::new_event(
        events::kind::schedule_missed, "schedule/" + schedule + "/missed", due.considered);
    event.data = json::serialize(json::object{{"schedule", schedule}, {"missed", due.missed}});
    return event;
}

}  // namespace muster::scheduling
