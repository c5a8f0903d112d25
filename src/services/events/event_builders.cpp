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

event_record build_row_event(
    std::string_view event_kind, const windows::window_record& row, std::string_view prefix) {
    auto event = new_event(
        event_kind,
        std::string(prefix) + "/" + row.name + "/" + std::to_string(row.version),
        row.changed);
    event.actor = row.changed_by;
    event.data = json::serialize(json::object{{"name", row.name}});
    return event;
}

}  // namespace

std::vector<event_record> build_node_events(const cluster::topology& topology, wall_time since) {
    std::vector<event_record> events;
    for (const auto& [name, node] : topology.nodes) {
        if (node.since < since) continue;
        const std::string state(membership::to_string(node.state));
        auto event = new_event(kind_of(node.state), "node/" + name + "/" + state, node.since);
        event.zone = node.zone;
        event.node = name;
        event.data = json::serialize(
            json::object{{"state", state}, {"reason", node.reason}, {"address", node.address}});
        events.push_back(std::move(event));
    }
    for (const auto& [zone, freeze] : topology.freezes) {
        if (freeze.since < since) continue;
        auto event = new_event(kind::zone_held, "zone/" + zone + "/held", freeze.since);
        event.zone = zone;
        event.data =
            json::serialize(json::object{{"missing", freeze.missing}, {"members", freeze.members}});
        events.push_back(std::move(event));
    }
    return events;
}

std::vector<event_record> build_window_events(
    const windows::window_snapshot& snapshot, wall_time since) {
    using windows::record_kind;
    std::vector<event_record> events;
    const auto add = [&](std::string_view event_kind, const windows::window_record& row) {
        if (row.changed >= since)
            events.push_back(build_row_event(event_kind, row, windows::to_string(row.kind)));
    };
    for (const auto& [label, each] : snapshot.calendars) add(kind::calendar_changed, each.row);
    for (const auto& [name, each] : snapshot.maintenance) add(kind::window_changed, each.row);
    for (const auto& [name, row] : snapshot.removed) {
        if (row.kind == record_kind::calendar) add(kind::calendar_removed, row);
        if (row.kind == record_kind::maintenance) add(kind::window_removed, row);
    }
    return events;
}

event_record build_overrun_event(const windows::overrun& overrun, std::uint64_t systems) {
    auto event = new_event(kind::window_overrun, "overrun/" + overrun.key(), overrun.window.closes);
    event.at = overrun.seen_at;
    if (const auto job = parse_job_id(overrun.first_job)) event.job = *job;
    event.data = json::serialize(json::object{
        {"schedule", overrun.schedule},
        {"opened", iso_time(overrun.window.opens)},
        {"closed", iso_time(overrun.window.closes)},
        {"still_running", systems}});
    return event;
}

}  // namespace muster::events
