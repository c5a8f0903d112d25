#include "api/rest/zones_api.h"

#include "api/rest/topology_json.h"
#include "core/model/system.h"
#include "core/placement/slot_table.h"
#include "ports/deadline.h"
#include "services/fleet/fleet_tables.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;

constexpr const char* collection_path = "/api/v1/zones";
constexpr auto removal_timeout = std::chrono::seconds(30);  // scans all systems
constexpr const char* item_path = "/api/v1/zones/{zone}";

shape counts_shape() {
    return map_of(integer(0));
}

shape zone_shape() {
    return record_of(
        {required("name", name()),
         required("description", text()),
         required("parent", text().with_about("parent zone; empty for a root zone")),
         required(
             "disaster_timeout",
             integer(0).with_about("seconds without contact before a node is faulty")),
         optional(
             "tasks_max",
             integer(0).with_about("maximum tasks in flight of all jobs; absent: no limit")),
         required("made", api::time()),
         required(
             "held", flag().with_about("zone is frozen: more than half of its nodes are missing")),
         optional(
             "hold",
             record_of(
                 {required("missing", integer(0)),
                  required("members", integer(0)),
                  required("since", api::time())}))});
}

shape stats_shape() {
    return record_of(
        {required("name", name()),
         required("nodes", integer(0)),
         required("nodes_by_state", counts_shape()),
         required("systems_by_state", counts_shape()),
         required("slots", integer(0)),
         required("slots_placed", integer(0))});
}

parameter zone_in_path() {
    return in_path("zone", name());
}

std::vector<parameter> zone_parameters(std::vector<parameter> parameters) {
    parameters.push_back(
        optional_in_body("description", text(cluster::zone_service::description_bytes_max)));
    parameters.push_back(optional_in_body("parent", text(255)));
    parameters.push_back(optional_in_body(
        "disaster_timeout",
        integer(
            cluster::zone_service::disaster_timeout_min.count(),
            cluster::zone_service::disaster_timeout_max.count())));
    parameters.push_back(optional_in_body(
        "tasks_max", integer(0, cluster::zone_service::tasks_max_limit).with_about("0: no limit")));
    return parameters;
}

cluster::zone_service::settings read_settings(const call& call) {
    cluster::zone_service::settings settings{
        .description = call.optional_text("description"), .parent = call.optional_text("parent")};
    if (const auto seconds = call.optional_integer("disaster_timeout"))
        settings.disaster_timeout = std::chrono::seconds(*seconds);
    settings.tasks_max = call.optional_integer("tasks_max");
    return settings;
}

std::unexpected<error> zone_not_found(const std::string& name) {
    return fail(errc::not_found, fmt::format("zone \"{}\" not found", name));
}

}  // namespace

result<void> zones_api::declare(registry& operations) {
    CHECK_OK(operations.add(
        {.name = "zones.list",
         .summary = "List zones",
         .path = collection_path,
         .gives = page_of(zone_shape()),
         .needed = right::topology_read,
         .within = scope::filtered},
        handler(this, &zones_api::list)));
    CHECK_OK(operations.add(
        {.name = "zones.show",
         .summary = "Get a zone",
         .path = item_path,
         .takes = {zone_in_path()},
         .gives = zone_shape(),
         .needed = right::topology_read,
         .within = scope::zone},
        handler(this, &zones_api::show)));
    CHECK_OK(operations.add(
        {.name = "zones.stats",
         .summary = "Get the node and system counts of a zone by state",
         .path = "/api/v1/zones/{zone}/stats",
         .takes = {zone_in_path()},
         .gives = stats_shape(),
         .needed = right::topology_read,
         .within = scope::zone},
        handler(this, &zones_api::stats)));
    CHECK_OK(operations.add(
        {.name = "zones.create",
         .summary = "Create a zone",
         .method = verb::post,
         .path = collection_path,
         .takes = zone_parameters({in_body("name", name())}),
         .gives = zone_shape(),
         .status = 201,
         .needed = right::topology_change},
        handler(this, &zones_api::add)));
    CHECK_OK(operations.add(
        {.name = "zones.change",
         .summary = "Update a zone",
         .method = verb::patch,
         .path = item_path,
         .takes = zone_parameters({zone_in_path()}),
         .gives = zone_shape(),
         .needed = right::topology_change},
        handler(this, &zones_api::change)));
    return operations.add(
        {.name = "zones.remove",
         .summary = "Delete a zone without nodes, child zones and systems",
         .method = verb::remove,
         .path = item_path,
         .takes = {zone_in_path()},
         .gives = record_of({required("name", name()), required("removed", flag())}),
         .needed = right::topology_change},
        handler(this, &zones_api::remove));
}

async<reply> zones_api::list(call call) {
    const auto topology = call.context().topology.read();
    json::array items;
    for (const auto& [name, zone] : topology->zones)
        if (call.may_in(name)) items.push_back(zone_json(*topology, zone));
    co_return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

async<reply> zones_api::show(call call) {
    const auto topology = call.context().topology.read();
    const auto it = topology->zones.find(call.text("zone"));
    if (it == topology->zones.end()) co_return zone_not_found(call.text("zone"));
    co_return reply{zone_json(*topology, it->second)};
}

async<reply> zones_api::stats(call call) {
    const auto topology = call.context().topology.read();
    const auto& name = call.text("zone");
    if (!topology->zones.contains(name)) co_return zone_not_found(name);
    std::map<std::string, std::int64_t> nodes_by_state;
    std::int64_t nodes = 0;
    for (const auto& [node_name, node] : topology->nodes) {
        if (node.zone != name) continue;
        ++nodes;
        ++nodes_by_state[std::string(membership::to_string(node.state))];
    }
    json::object states;
    for (const auto& [state, count] : nodes_by_state) states.emplace(state, count);
    json::object systems;
    for (const auto& [state, count] : systems_by_state(name)) systems.emplace(state, count);
    std::int64_t placed = 0;
    const auto table = topology->slots.find(name);
    for (std::size_t number = 0; table != topology->slots.end() && number < slot::count; ++number)
        if (table->second->at(slot(number)).owner) ++placed;
    co_return reply{json::object{
        {"name", name},
        {"nodes", nodes},
        {"nodes_by_state", std::move(states)},
        {"systems_by_state", std::move(systems)},
        {"slots", static_cast<std::int64_t>(slot::count)},
        {"slots_placed", placed}}};
}

async<reply> zones_api::add(call call) {
    cluster::zone_service zones(call.context().engines.metastore, deps_.clock);
    CO_TRY(
        const auto zone,
        co_await within(
            deps_.clock, engine_timeout, zones.add(call.text("name"), read_settings(call))));
    co_return reply{zone_json(*call.context().topology.read(), zone)};
}

async<reply> zones_api::change(call call) {
    cluster::zone_service zones(call.context().engines.metastore, deps_.clock);
    CO_TRY(
        const auto zone,
        co_await within(
            deps_.clock, engine_timeout, zones.change(call.text("zone"), read_settings(call))));
    co_return reply{zone_json(*call.context().topology.read(), zone)};
}

// Reads the ledger if the cache has none, because the cache may lag behind.
async<std::size_t> zones_api::count_accepted(muster::ledger& ledger, std::string zone) {
    if (const auto cached = deps_.systems.accepted_in(zone); cached > 0) co_return cached;
    table::query query{.table = std::string(fleet::systems_table), .limit = 1};
    query.where = {
        {.column = "zone", .values = {std::move(zone)}},
        {.column = "stage", .values = {std::string(to_string(enrolment::accepted))}}};
    CO_TRY(const auto page, co_await ledger.read(std::move(query)));
    co_return page.rows.size();
}

async<reply> zones_api::remove(call call) {
    const auto& name = call.text("zone");
    cluster::zone_service zones(call.context().engines.metastore, deps_.clock);
    cluster::zone_service::system_counter systems =
        [this, &ledger = call.context().engines.ledger](auto zone) {
            return count_accepted(ledger, std::move(zone));
        };
    CO_CHECK_OK(
        co_await within(deps_.clock, removal_timeout, zones.remove(name, std::move(systems))));
    co_return reply{json::object{{"name", name}, {"removed", true}}};
}

std::map<std::string, std::size_t> zones_api::systems_by_state(const std::string& zone) const {
    const auto accepted = deps_.systems.accepted_in(zone);
    const auto attached = std::min(deps_.presence.attached_in(zone), accepted);
    return {{"onboarded", attached}, {"orphan", accepted - attached}};
}

}  // namespace muster::api
