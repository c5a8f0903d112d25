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
    json::array response;
    for (const auto& item : items) response.emplace_back(item);
    return response;
}

}  // namespace

slot_counts slots_by_node(const cluster::topology& topology) {
    slot_counts counts;
    for (const auto& [zone, table] : topology.slots) {
        for (std::size_t number = 0; number < slot::count; ++number)
            ++counts[table->at(slot(number)).owner];
    }
    return counts;
}

json::object node_json(
    const cluster::topology& topology,
    const cluster::node_record& node,
    const slot_counts& slots,
    std::optional<std::int64_t> attached) {
    const auto server = topology.servers.find(node.name);
    const bool is_online =
        server != topology.servers.end() && server->second.instance == node.instance;
    const auto owned = slots.find(node.number);
    json::object response{
        {"name", node.name},
        {"number", node.number.value()},
        {"zone", node.zone},
        {"state", membership::to_string(node.state)},
        {"there", is_online},
        {"address", node.address},
        {"slots", owned == slots.end() ? 0 : static_cast<std::int64_t>(owned->second)},
        {"reason", node.reason},
        {"since", iso_time(node.since)},
        {"wiped", node.wiped},
        {"leaving", node.leaving},
        {"systems_max", node.systems_max}};
    if (attached) response.emplace("attached", *attached);
    if (!is_online) return response;
    response.emplace("roles", list_json(server->second.roles));
    response.emplace("version", server->second.version);
    response.emplace("started", iso_time(server->second.started));
    return response;
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

json::object zone_json(const cluster::topology& topology, const cluster::zone_record& zone) {
    json::object response{
        {"name", zone.name},
        {"description", zone.description},
        {"parent", zone.parent},
        {"disaster_timeout", static_cast<std::int64_t>(zone.disaster_timeout.count())},
        {"made", iso_time(zone.made)},
        {"held", topology.freezes.contains(zone.name)}};
    if (zone.tasks_max > 0) response.emplace("tasks_max", zone.tasks_max);
    const auto freeze = topology.freezes.find(zone.name);
    if (freeze != topology.freezes.end())
        response.emplace(
            "hold",
            json::object{
                {"missing", freeze->second.missing},
                {"members", freeze->second.members},
                {"since", iso_time(freeze->second.since)}});
    return response;
}

json::object topology_json(const cluster::topology& topology) {
    const auto slots = slots_by_node(topology);
    json::array zones;
    for (const auto& [name, zone] : topology.zones) {
        json::array nodes;
        for (const auto& [node_name, node] : topology.nodes) {
            if (node.zone == name) nodes.push_back(node_json(topology, node, slots, std::nullopt));
        }
        json::object response = zone_json(topology, zone);
        const auto table = topology.slots.find(name);
        response.emplace(
            "epoch", table == topology.slots.end() ? 0 : table->second->current_epoch().value());
        response.emplace("nodes", std::move(nodes));
        zones.push_back(std::move(response));
    }
    return {
        {"revision", topology.revision.value()},
        {"driver", topology.driver},
        {"zones", std::move(zones)}};
}

json::object slots_json(const cluster::topology& topology, const std::string& zone) {
    static const placement::slot_table empty_table;
    const auto it = topology.slots.find(zone);
    const auto& table = it == topology.slots.end() ? empty_table : *it->second;
    json::array nodes;
    std::map<node_number, std::int64_t> positions{{node_number(), -1}};
    json::array runs;
    for (std::size_t first = 0; first < slot::count;) {
        const auto& entry = table.at(slot(first));
        auto end = first + 1;
        while (end < slot::count && table.at(slot(end)) == entry) ++end;
        const auto next = static_cast<std::int64_t>(nodes.size());
        const auto [position, is_new] = positions.emplace(entry.owner, next);
        if (is_new) {
            const auto* const node = topology.find_node(entry.owner);
            nodes.emplace_back(node == nullptr ? "?" : node->name);
        }
        runs.push_back(json::array{
            static_cast<std::int64_t>(end - first), position->second, entry.since.value()});
        first = end;
    }
    return {
        {"zone", zone},
        {"epoch", table.current_epoch().value()},
        {"nodes", std::move(nodes)},
        {"runs", std::move(runs)}};
}

}  // namespace muster::api
