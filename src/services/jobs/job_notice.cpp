#include "services/jobs/job_notice.h"

#include "core/events/event_kind.h"

#include <boost/json.hpp>

#include <string_view>

namespace muster::jobs {
namespace {

namespace json = boost::json;
namespace kind = events::kind;

json::string_view text_of(std::string_view text) {
    return {text.data(), text.size()};
}

json::object counts_json(const task_counts& counts) {
    json::object told;
    for (const auto each : all_task_states) told[text_of(to_string(each))] = counts[each];
    return told;
}

event_record named(const job_record& job, std::string_view kind_of_it) {
    return {
        .anchor = made_at(job.job),
        .id = "job/" + to_string(job.job) + "/" + std::to_string(job.version),
        .kind = std::string(kind_of_it),
        .at = job.changed,
        .zone = {},
        .job = job.job,
        .system = std::nullopt,
        .node = {},
        .by = {},
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

event_record notice_of_making(const job_record& made) {
    auto told = named(made, kind::job_made);
    told.by = made.spec.by;
    told.data = json::serialize(json::object{
        {"function", made.spec.function},
        {"query", made.spec.query},
        {"targets", made.targets},
        {"note", made.spec.note}});
    return told;
}

event_record notice_of_change(
    const job_record& before, const job_record& after, const std::optional<task_counts>& counts) {
    auto told = named(after, kind_of(before, after));
    json::object data{
        {"stage", text_of(to_string(after.stage))},
        {"phase", text_of(to_string(after.phase))},
        {"reason", after.reason},
        {"targets", after.targets}};
    if (counts) data["counts"] = counts_json(*counts);
    told.data = json::serialize(data);
    return told;
}

}  // namespace muster::jobs
