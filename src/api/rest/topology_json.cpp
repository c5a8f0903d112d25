#include "api/rest/topology_json.h"

#include "base/iso_time.h"
#include "core/placement/slot_table.h"

#include <boost/json.hpp>

#include <map>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

json::array list_json(const std::vector<std::string>& items) {
    json::array told;
    for (const auto& each : items) told.emplace_back(each);
    return told;
}

}  // namespace

slot_counts slots_by_node(const cluster::topology& known) {
    slot_counts counts;
    for (const auto& [zone, table] : known.slots) {
        for (std::size_t number = 0; number < slot::count; ++number)
            ++counts[table->at(slot(number)).owner];
    }
    return counts;
}

json::object node_json(
    const cluster::topology& known,
    const cluster::node_record& node,
    const slot_counts& slots,
    std::optional<std::int64_t> attached) {
    const auto server = known.servers.find(node.name);
    const bool there = server != known.servers.end() && server->second.instance == node.instance;
    const auto owned = slots.find(node.number);
    json::object told{
        {"name", node.name},
        {"number", node.number.value()},
        {"zone", node.zone},
        {"state", membership::to_string(node.state)},
        {"there", there},
        {"address", node.address},
        {"slots", owned == slots.end() ? 0 : static_cast<std::int64_t>(owned->second)},
        {"reason", node.reason},
        {"since", iso_time(node.since)},
        {"wiped", node.wiped},
        {"leaving", node.leaving},
        {"systems_max", node.systems_max}};
    if (attached) told.emplace("attached", *attached);
    if (!there) return told;
    told.emplace("roles", list_json(server->second.roles));
    told.emplace("version", server->second.version);
    told.emplace("started", iso_time(server->second.started));
    return told;
}

json::object server_json(const cluster::server_record& server) {
    return {
        {"name", server.name},
        {"state", "no node"},
        {"there", true},
        {"address", server.address},
        {"roles", list_json(server.roles)},
        {"version", server.version},
        {"started", iso_time(server.started)}};
}

json::object zone_json(const cluster::topology& known, const cluster::zone_record& zone) {
    json::object told{
        {"name", zone.name},
        {"description", zone.description},
        {"parent", zone.parent},
        {"disaster_timeout", static_cast<std::int64_t>(zone.disaster_timeout.count())},
        {"made", iso_time(zone.made)},
        {"held", known.holds.contains(zone.name)}};
    if (zone.tasks_max > 0) told.emplace("tasks_max", zone.tasks_max);
    const auto held = known.holds.find(zone.name);
    if (held != known.holds.end())
        told.emplace(
            "hold",
            json::object{
                {"missing", held->second.missing},
                {"members", held->second.members},
                {"since", iso_time(held->second.since)}});
    return told;
}

json::object topology_json(const cluster::topology& known) {
    const auto slots = slots_by_node(known);
    json::array zones;
    for (const auto& [name, zone] : known.zones) {
        json::array nodes;
        for (const auto& [node_name, node] : known.nodes) {
            if (node.zone == name) nodes.push_back(node_json(known, node, slots, std::nullopt));
        }
        json::object told = zone_json(known, zone);
        const auto table = known.slots.find(name);
        told.emplace("epoch", table == known.slots.end() ? 0 : table->second->current().value());
        told.emplace("nodes", std::move(nodes));
        zones.push_back(std::move(told));
    }
    return {{"revision", known.at.value()}, {"driver", known.driver}, {"zones", std::move(zones)}};
}

json::object slots_json(const cluster::topology& known, const std::string& zone) {
    static const placement::slot_table nobodys;
    const auto found = known.slots.find(zone);
    const auto& table = found == known.slots.end() ? nobodys : *found->second;
    json::array nodes;
    std::map<node_number, std::int64_t> places{{node_number(), -1}};
    json::array runs;
    for (std::size_t first = 0; first < slot::count;) {
        const auto& held = table.at(slot(first));
        auto end = first + 1;
        while (end < slot::count && table.at(slot(end)) == held) ++end;
        const auto next = static_cast<std::int64_t>(nodes.size());
        const auto [place, fresh] = places.emplace(held.owner, next);
        if (fresh) {
            const auto* const node = known.find_node(held.owner);
            nodes.emplace_back(node == nullptr ? "?" : node->name);
        }
        runs.push_back(
            json::array{static_cast<std::int64_t>(end - first), place->second, held.since.value()});
        first = end;
    }
    return {
        {"zone", zone},
        {"epoch", table.current().value()},
        {"nodes", std::move(nodes)},
        {"runs", std::move(runs)}};
}

}  // namespace muster::api
