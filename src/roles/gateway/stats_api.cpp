#include "roles/gateway/stats_api.h"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;

std::map<node_number, std::int64_t> count_slots(const placement::slot_table& table) {
    std::map<node_number, std::int64_t> counted;
    for (std::size_t n = 0; n < slot::count; ++n) ++counted[table.at(slot(n)).owner];
    return counted;
}

double rounded(double value) {
    return std::round(value * 1000) / 1000;
}

}  // namespace

result<void> stats_api::add_routes(http::router& routes) {
    return routes.add("GET", "/api/v1/stats", {[this](http::request asked) {
                          return stats(std::move(asked));
                      }});
}

async<http::response> stats_api::stats(http::request asked) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    const auto known = around_.topology.read();
    const json::object told{
        {"at", cluster::iso_time(around_.time.wall())},
        {"cluster", visitor->desk->cluster.id},
        {"systems", systems_json()},
        {"zones", zones_json(*known)},
        {"nodes", nodes_json(*known)}};
    co_return no_store(http::json(200, json::serialize(told)));
}

json::object stats_api::systems_json() const {
    const auto counts = around_.systems.counts();
    const auto accepted = counts.count(enrolment::accepted);
    const auto attached = std::min(around_.attached.attached_in_all(), accepted);
    return {
        {"new", counts.count(enrolment::pooled)},
        {"rejected", counts.count(enrolment::rejected)},
        {"onboarded", attached},
        {"orphan", accepted - attached},
        {"deleted", counts.count(enrolment::deleted)}};
}

json::array stats_api::zones_json(const cluster::topology& known) const {
    json::array items;
    for (const auto& [name, zone] : known.zones) {
        const auto nodes = std::ranges::count_if(
            known.nodes, [&name](const auto& each) { return each.second.zone == name; });
        std::int64_t unplaced = static_cast<std::int64_t>(slot::count);
        if (const auto table = known.slots.find(name); table != known.slots.end())
            unplaced = count_slots(*table->second)[node_number()];
        items.push_back(json::object{
            {"name", name},
            {"nodes", nodes},
            {"systems", around_.systems.accepted_in(name)},
            {"attached", around_.attached.attached_in(name)},
            {"slots_unplaced", unplaced}});
    }
    return items;
}

json::array stats_api::nodes_json(const cluster::topology& known) {
    slot_counts slots;
    for (const auto& [zone, table] : known.slots)
        for (const auto& [owner, count] : count_slots(*table)) slots[owner] += count;
    auto counted = around_.attached.by_node();
    json::array items;
    for (const auto& [name, node] : known.nodes)
        items.push_back(node_json(known, node, counted[node.number], slots[node.number]));
    return items;
}

json::object stats_api::node_json(
    const cluster::topology& known,
    const cluster::node_record& node,
    const presence::presence::node_count& counted,
    std::int64_t slots) {
    json::object told{
        {"name", node.name},
        {"zone", node.zone},
        {"state", to_string(node.state)},
        {"there", known.servers.contains(node.name)},
        {"slots", slots},
        {"attached", counted.attached},
        {"cpu", nullptr},
        {"headroom", nullptr},
        {"memory_bytes", nullptr}};
    {
        const std::lock_guard lock(guard_);
        const auto rate = rates_[node.number].look(around_.time.now(), counted.arrivals);
        told["attach_rate"] = rounded(rate);
    }
    if (const auto load = around_.loads.find(node.name)) {
        told["cpu"] = rounded(load->cpu_share);
        told["headroom"] = rounded(1 - load->cpu_share);
        told["memory_bytes"] = load->last.memory_bytes;
    }
    return told;
}

}  // namespace muster::gateway
