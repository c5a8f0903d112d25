#include "api/rest/stats_api.h"

#include "base/iso_time.h"
#include "core/placement/slot_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

std::map<node_number, std::int64_t> count_slots(const placement::slot_table& table) {
    std::map<node_number, std::int64_t> counts;
    for (std::size_t index = 0; index < slot::count; ++index) ++counts[table.at(slot(index)).owner];
    return counts;
}

api::shape zone_shape() {
    using namespace api;
    return record_of(
        {required("name", name()),
         required("nodes", integer(0)),
         required("systems", integer(0)),
         required("attached", integer(0)),
         required("slots_unplaced", integer(0))});
}

api::shape node_shape() {
    using namespace api;
    return record_of(
        {required("name", name()),
         required("zone", text()),
         required("state", name()),
         required("there", flag()),
         required("slots", integer(0)),
         required("attached", integer(0)),
         required("cpu", api::number().or_nothing()),
         required("headroom", api::number().or_nothing()),
         required("memory_bytes", integer(0).or_nothing()),
         required("attach_rate", api::number().with_about("systems attached per second"))});
}

api::shape stats_shape() {
    using namespace api;
    return record_of(
        {required("at", api::time()),
         required("cluster", text()),
         required("systems", map_of(integer(0)).with_about("number of systems by state")),
         required("zones", list_of(zone_shape())),
         required("nodes", list_of(node_shape()))});
}

double round_to_thousandths(double value) {
    return std::round(value * 1000) / 1000;
}

}  // namespace

result<void> stats_api::declare(registry& operations) {
    return operations.add(
        {.name = "stats.show",
         .summary = "Get statistics of the cluster, its zones and nodes",
         .path = "/api/v1/stats",
         .gives = stats_shape(),
         .needed = access::right::topology_read,
         .within = api::scope::filtered,
         .includes_presence = true},
        handler(this, &stats_api::stats));
}

async<reply> stats_api::stats(call call) {
    const auto topology = deps_.topology.read();
    co_return reply{json::object{
        {"at", iso_time(deps_.clock.wall())},
        {"cluster", call.context().cluster.id},
        {"systems", systems_json(*topology, call)},
        {"zones", zones_json(*topology, call)},
        {"nodes", nodes_json(*topology, call)}}};
}

// Counts systems in the caller's zones. Pooled and rejected systems have no zone; callers with
// fleet.read in any zone see their number. Deleted systems are not counted by zone.
json::object stats_api::systems_json(const cluster::topology& topology, const call& call) const {
    const auto counts = deps_.systems.counts();
    std::size_t accepted = 0;
    std::size_t attached = 0;
    for (const auto& [name, zone] : topology.zones) {
        if (!call.may_in(name)) continue;
        const auto accepted_in_zone = counts.accepted_in(name);
        accepted += accepted_in_zone;
        attached += std::min(deps_.attached.attached_in(name), accepted_in_zone);
    }
    if (!call.zones()) {
        accepted = counts.count(enrolment::accepted);
        attached = std::min(deps_.attached.attached_total(), accepted);
    }
    const bool sees_pool = call.caller().may.anywhere(access::right::fleet_read);
    return {
        {"new", sees_pool ? counts.count(enrolment::pooled) : 0},
        {"rejected", sees_pool ? counts.count(enrolment::rejected) : 0},
        {"onboarded", attached},
        {"orphan", accepted - attached},
        {"deleted", call.zones() ? 0 : counts.count(enrolment::deleted)}};
}

json::array stats_api::zones_json(const cluster::topology& topology, const call& call) const {
    json::array items;
    for (const auto& [name, zone] : topology.zones) {
        if (!call.may_in(name)) continue;
        const auto nodes = std::ranges::count_if(
            topology.nodes, [&name](const auto& node) { return node.second.zone == name; });
        auto unplaced = static_cast<std::int64_t>(slot::count);
        if (const auto table = topology.slots.find(name); table != topology.slots.end())
            unplaced = count_slots(*table->second)[node_number()];
        items.push_back(json::object{
            {"name", name},
            {"nodes", nodes},
            {"systems", deps_.systems.accepted_in(name)},
            {"attached", deps_.attached.attached_in(name)},
            {"slots_unplaced", unplaced}});
    }
    return items;
}

json::array stats_api::nodes_json(const cluster::topology& topology, const call& call) {
    slot_counts slots;
    for (const auto& [zone, table] : topology.slots)
        for (const auto& [owner, count] : count_slots(*table)) slots[owner] += count;
    auto counts = deps_.attached.by_node();
    json::array items;
    for (const auto& [name, node] : topology.nodes)
        if (call.may_in(node.zone))
            items.push_back(node_json(topology, node, counts[node.number], slots[node.number]));
    return items;
}

json::object stats_api::node_json(
    const cluster::topology& topology,
    const cluster::node_record& node,
    const presence::presence_cache::node_count& count,
    std::int64_t slots) {
    json::object response{
        {"name", node.name},
        {"zone", node.zone},
        {"state", to_string(node.state)},
        {"there", topology.servers.contains(node.name)},
        {"slots", slots},
        {"attached", count.attached},
        {"cpu", nullptr},
        {"headroom", nullptr},
        {"memory_bytes", nullptr}};
    {
        const std::lock_guard lock(mutex_);
        const auto rate = rates_[node.number].update(deps_.clock.now(), count.attach_count);
        response["attach_rate"] = round_to_thousandths(rate);
    }
    if (const auto load = deps_.loads.find(node.name)) {
        response["cpu"] = round_to_thousandths(load->cpu_share);
        response["headroom"] = round_to_thousandths(1 - load->cpu_share);
        response["memory_bytes"] = load->last.memory_bytes;
    }
    return response;
}

}  // namespace muster::api
