#include "services/events/notices.h"

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
    event_record made;
    made.anchor = at;
    made.at = at;
    made.kind = std::string(kind_of_it);
    made.id = std::move(id);
    made.data = "{}";
    return made;
}

event_record row_notice(
    std::string_view kind_of_it, const windows::window_record& row, std::string_view what) {
    auto made = told(
        kind_of_it,
        std::string(what) + "/" + row.name + "/" + std::to_string(row.version),
        row.changed);
    made.by = row.changed_by;
    made.data = json::serialize(json::object{{"name", row.name}});
    return made;
}

}  // namespace

std::vector<event_record> node_notices(const cluster::topology& known, wall_time since) {
    std::vector<event_record> made;
    for (const auto& [name, node] : known.nodes) {
        if (node.since < since) continue;
        const std::string state(membership::to_string(node.state));
        auto each = told(kind_of(node.state), "node/" + name + "/" + state, node.since);
        each.zone = node.zone;
        each.node = name;
        each.data = json::serialize(
            json::object{{"state", state}, {"reason", node.reason}, {"address", node.address}});
        made.push_back(std::move(each));
    }
    for (const auto& [zone, hold] : known.holds) {
        if (hold.since < since) continue;
        auto each = told(kind::zone_held, "zone/" + zone + "/held", hold.since);
        each.zone = zone;
        each.data =
            json::serialize(json::object{{"missing", hold.missing}, {"members", hold.members}});
        made.push_back(std::move(each));
    }
    return made;
}

std::vector<event_record> window_notices(const windows::window_view& known, wall_time since) {
    using windows::record_kind;
    std::vector<event_record> made;
    const auto add = [&](std::string_view kind_of_it, const windows::window_record& row) {
        if (row.changed >= since)
            made.push_back(row_notice(kind_of_it, row, windows::to_string(row.kind)));
    };
    for (const auto& [label, each] : known.calendars) add(kind::calendar_changed, each.row);
    for (const auto& [name, each] : known.maintenance) add(kind::window_changed, each.row);
    for (const auto& [name, row] : known.removed) {
        if (row.kind == record_kind::calendar) add(kind::calendar_removed, row);
        if (row.kind == record_kind::maintenance) add(kind::window_removed, row);
    }
    return made;
}

event_record overrun_notice(const windows::overrun& what, std::uint64_t systems) {
    auto made = told(kind::window_overrun, "overrun/" + what.key(), what.passed.closes);
    made.at = what.seen;
    if (const auto job = parse_job_id(what.first_job)) made.job = *job;
    made.data = json::serialize(json::object{
        {"schedule", what.schedule},
        {"opened", iso_time(what.passed.opens)},
        {"closed", iso_time(what.passed.closes)},
        {"still_running", systems}});
    return made;
}

event_record run_notice(
    const scheduling::schedule_runner::run& run,
    const std::vector<job_record>& made,
    const run_extent& extent) {
    MUSTER_ASSERT(!made.empty());
    auto each = told(kind::schedule_ran, "schedule/" + run.name + "/ran", run.due.planned);
    each.at = made_at(made.front().job);
    each.job = made.front().job;
    json::array jobs;
    for (const auto& job : made) jobs.emplace_back(to_string(job.job));
    json::object told{
        {"schedule", run.name},
        {"planned", iso_time(run.due.planned)},
        {"jobs", std::move(jobs)},
        {"targets", extent.targets},
        {"left_out", extent.left_out},
        {"late", run.due.late}};
    if (extent.by_expression > 0) told["by_expression"] = extent.by_expression;
    each.data = json::serialize(told);
    return each;
}

event_record skip_notice(const skipped_run& what, wall_time now) {
    auto each =
        told(kind::schedule_skipped, "schedule/" + what.schedule + "/skipped", what.planned);
    each.at = now;
    each.data = json::serialize(json::object{
        {"schedule", what.schedule},
        {"planned", iso_time(what.planned)},
        {"reason", what.reason},
        {"left_out", what.left_out}});
    return each;
}

event_record missed_notice(const std::string& schedule, const schedules::due_answer& due) {
    auto each = told(kind::schedule_missed, "schedule/" + schedule + "/missed", due.considered);
    each.data = json::serialize(json::object{{"schedule", schedule}, {"missed", due.missed}});
    return each;
}

}  // namespace muster::events
