#include "services/events/event_builders.h"

#include "base/assert.h"
#include "base/iso_time.h"
#include "core/events/event_kind.h"
#include "core/events/new_event.h"

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

event_record row_notice(
    std::string_view kind_of_it, const windows::window_record& row, std::string_view text) {
    auto result = new_event(
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
        auto event = new_event(kind_of(node.state), "node/" + name + "/" + state, node.since);
        event.zone = node.zone;
        event.node = name;
        event.data = json::serialize(
            json::object{{"state", state}, {"reason", node.reason}, {"address", node.address}});
        result.push_back(std::move(event));
    }
    for (const auto& [zone, hold] : topology.holds) {
        if (hold.since < since) continue;
        auto event = new_event(kind::zone_held, "zone/" + zone + "/held", hold.since);
        event.zone = zone;
        event.data =
            json::serialize(json::object{{"missing", hold.missing}, {"members", hold.members}});
        result.push_back(std::move(event));
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
    auto result =
        new_event(kind::window_overrun, "overrun/" + overrun.key(), overrun.passed.closes);
    result.at = overrun.seen;
    if (const auto job = parse_job_id(overrun.first_job)) result.job = *job;
    result.data = json::serialize(json::object{
        {"schedule", overrun.schedule},
        {"opened", iso_time(overrun.passed.opens)},
        {"closed", iso_time(overrun.passed.closes)},
        {"still_running", systems}});
    return result;
}

}  // namespace muster::events
