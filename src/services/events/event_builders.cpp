#include "services/events/event_builders.h"

#include "base/assert.h"
#include "base/iso_time.h"
#include "core/events/event_kind.h"

#include <boost/json.hpp>

#include <string_view>
#include <utility>

namespace muster::events {
namespace {

namespace json = boost::json;

std::string_view kind_of(membership::node_state state) {
    switch (state) {
        case membership::node_state::pooled:
            return kind::node_pooled;
        case membership::node_state::staged:
            return kind::node_staged;
        case membership::node_state::serving:
            return kind::node_serving;
        case membership::node_state::offline:
            return kind::node_offline;
        case membership::node_state::suspect:
            return kind::node_suspect;
        case membership::node_state::faulty:
            return kind::node_faulty;
    }
    return kind::node_pooled;
}

event_record told(std::string_view kind_of_it, std::string id, wall_time at) {
    event_record event;
    event.anchor = at;
    event.at = at;
    event.kind = std::string(kind_of_it);
    event.id = std::move(id);
    event.data = "{}";
    return event;
}

event_record row_notice(
    std::string_view kind_of_it, const windows::window_record& row, std::string_view text) {
    auto result = told(
        kind_of_it,
        std::string(text) + "/" + row.name + "/" + std::to_string(row.version),
        row.changed);
    result.by = row.changed_by;
    result.data = json::serialize(json::object{{"name", row.name}});
    return result;
}

}  // namespace

std::vector<event_record> node_notices(const cluster::topology& topology, wall_time since) {
    std::vector<event_record> result;
    for (const auto& [name, node] : topology.nodes) {
        if (node.since < since) continue;
        const std::string state(membership::to_string(node.state));
        auto each = told(kind_of(node.state), "node/" + name + "/" + state, node.since);
        each.zone = node.zone;
        each.node = name;
        each.data = json::serialize(
            json::object{{"state", state}, {"reason", node.reason}, {"address", node.address}});
        result.push_back(std::move(each));
    }
    for (const auto& [zone, hold] : topology.holds) {
        if (hold.since < since) continue;
        auto each = told(kind::zone_held, "zone/" + zone + "/held", hold.since);
        each.zone = zone;
        each.data =
            json::serialize(json::object{{"missing", hold.missing}, {"members", hold.members}});
        result.push_back(std::move(each));
    }
    return result;
}

std::vector<event_record> window_notices(
    const windows::window_snapshot& window_snapshot, wall_time since) {
    using windows::record_kind;
    std::vector<event_record> result;
    const auto add = [&](std::string_view kind_of_it, const windows::window_record& row) {
        if (row.changed >= since)
            result.push_back(row_notice(kind_of_it, row, windows::to_string(row.kind)));
    };
    for (const auto& [label, each] : window_snapshot.calendars)
        add(kind::calendar_changed, each.row);
    for (const auto& [name, each] : window_snapshot.maintenance)
        add(kind::window_changed, each.row);
    for (const auto& [name, row] : window_snapshot.removed) {
        if (row.kind == record_kind::calendar) add(kind::calendar_removed, row);
        if (row.kind == record_kind::maintenance) add(kind::window_removed, row);
    }
    return result;
}

event_record overrun_notice(const windows::overrun& overrun, std::uint64_t systems) {
    auto result = told(kind::window_overrun, "overrun/" + overrun.key(), overrun.passed.closes);
    result.at = overrun.seen;
    if (const auto job = parse_job_id(overrun.first_job)) result.job = *job;
    result.data = json::serialize(json::object{
        {"schedule", overrun.schedule},
        {"opened", iso_time(overrun.passed.opens)},
        {"closed", iso_time(overrun.passed.closes)},
        {"still_running", systems}});
    return result;
}

event_record run_notice(
    const scheduling::schedule_runner::run& run,
    const std::vector<job_record>& result,
    const run_extent& extent) {
    MUSTER_ASSERT(!result.empty());
    auto each = told(kind::schedule_ran, "schedule/" + run.name + "/ran", run.due.planned);
    each.at = made_at(result.front().job);
    each.job = result.front().job;
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
    each.data = json::serialize(response);
    return each;
}

event_record skip_notice(const skipped_run& skipped_run, wall_time now) {
    auto each = told(
        kind::schedule_skipped,
        "schedule/" + skipped_run.schedule + "/skipped",
        skipped_run.planned);
    each.at = now;
    each.data = json::serialize(json::object{
        {"schedule", skipped_run.schedule},
        {"planned", iso_time(skipped_run.planned)},
        {"reason", skipped_run.reason},
        {"left_out", skipped_run.left_out}});
    return each;
}

event_record missed_notice(const std::string& schedule, const schedules::due_answer& due) {
    auto each = told(kind::schedule_missed, "schedule/" + schedule + "/missed", due.considered);
    each.data = json::serialize(json::object{{"schedule", schedule}, {"missed", due.missed}});
    return each;
}

}  // namespace muster::events
