#include "services/jobs/job_event_builder.h"

#include "core/events/event_kind.h"
#include "services/jobs/task_counts_json.h"

#include <boost/json.hpp>

#include <string_view>

namespace muster::jobs {
namespace {

namespace json = boost::json;
namespace kind = events::kind;

json::string_view to_json(std::string_view text) {
    return {text.data(), text.size()};
}

event_record build_event(const job_record& job, std::string_view event_kind) {
    return {
        .anchor = created_at(job.job),
        .id = "job/" + to_string(job.job) + "/" + std::to_string(job.version),
        .kind = std::string(event_kind),
        .at = job.changed,
        .zone = {},
        .job = job.job,
        .system = std::nullopt,
        .node = {},
        .actor = {},
        .data = {}};
}

std::string_view kind_of(const job_record& before, const job_record& after) {
    if (before.stage == after.stage)
        return before.phase == after.phase ? kind::job_changed : kind::job_phase;
    switch (after.stage) {
        case job_stage::open:
            return kind::job_resumed;
        case job_stage::paused:
            return kind::job_paused;
        case job_stage::cancelling:
            return kind::job_cancelling;
        case job_stage::cancelled:
            return kind::job_cancelled;
        case job_stage::halted:
            return kind::job_halted;
        case job_stage::expired:
            return kind::job_expired;
        case job_stage::done:
            return kind::job_done;
    }
    return kind::job_changed;
}

}  // namespace

event_record job_created_event(const job_record& job) {
    auto event = build_event(job, kind::job_made);
    event.actor = job.spec.actor;
    event.data = json::serialize(json::object{
        {"function", job.spec.function},
        {"query", job.spec.query},
        {"targets", job.targets},
        {"note", job.spec.note}});
    return event;
}

event_record job_changed_event(
    const job_record& before, const job_record& after, const std::optional<task_counts>& counts) {
    auto event = build_event(after, kind_of(before, after));
    json::object data{
        {"stage", to_json(to_string(after.stage))},
        {"phase", to_json(to_string(after.phase))},
        {"reason", after.reason},
        {"targets", after.targets}};
    if (counts) data["counts"] = to_json(*counts);
    event.data = json::serialize(data);
    return event;
}

}  // namespace muster::jobs
