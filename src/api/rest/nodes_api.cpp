#include "api/rest/nodes_api.h"

#include "api/rest/topology_json.h"
#include "ports/deadline.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;

constexpr const char* collection_path = "/api/v1/nodes";
constexpr const char* item_path = "/api/v1/nodes/{node}";

shape name_list() {
    return list_of(name());
}

// Also used for servers without the node role; these have no number, zone or slots.
shape node_shape() {
    return record_of(
        {required("name", name()),
         optional("number", integer(0)),
         optional("zone", text()),
         required("state", name()),
         required("there", flag().with_about("true if the server of the node holds its lease")),
         required("address", text()),
         optional("slots", integer(0)),
         optional("reason", text().with_about("reason for the state")),
         optional("since", api::time()),
         optional("wiped", flag()),
         optional("leaving", flag().with_about("true while the node is drained")),
         optional("systems_max", integer(0)),
         optional("attached", integer(0)),
         optional(
             "common",
             name().with_about(
                 "state of the common data: current, behind, drifted, away or unknown")),
         optional("roles", name_list()),
         optional("version", text()),
         optional("started", api::time())});
}

shape topology_shape() {
    return record_of(
        {required("revision", integer(0)),
         required("driver", text().with_about("server with the active driver")),
         required("zones", list_of(anything().with_about("zone with its epoch and nodes")))});
}

shape slots_shape() {
    return record_of(
        {required("zone", name()),
         required("epoch", integer(0)),
         required("nodes", name_list()),
         required(
             "runs",
             list_of(list_of(integer(-1), 3))
                 .with_about("runs of consecutive slots: number of slots, index in `nodes` (-1: "
                             "unassigned), epoch of the assignment"))});
}

parameter node_in_path() {
    return in_path("node", name());
}

cluster::publish_function publisher_of(const call& call) {
    return [context = call.caller().context](stream::message message) {
        context->bus.publish(std::move(message));
    };
}

}  // namespace

result<void> nodes_api::declare_change(
    registry& operations, std::string verb, std::string summary, change change) {
    return operations.add(
        {.name = "nodes." + verb,
         .summary = std::move(summary),
         .method = api::verb::post,
         .path = item_path + ("/" + verb),
         .takes = {node_in_path()},
         .gives = node_shape(),
         .needed = right::topology_change,
         .within = scope::node},
        [this, change](call call) { return apply_change(std::move(call), change); });
}

result<void> nodes_api::declare(registry& operations) {
    CHECK_OK(operations.add(
        {.name = "nodes.list",
         .summary = "List nodes, and servers without the node role",
         .path = collection_path,
         .takes = {in_query(
             "state",
             text().with_choices({"pooled", "staged", "serving", "offline", "suspect", "faulty"}))},
         .gives = page_of(node_shape()),
         .needed = right::topology_read,
         .within = scope::filtered},
        handler(this, &nodes_api::list)));
    CHECK_OK(operations.add(
        {.name = "nodes.show",
         .summary = "Get a node, or a server without the node role",
         .path = item_path,
         .takes = {node_in_path()},
         .gives = node_shape(),
         .needed = right::topology_read,
         .within = scope::filtered},
        handler(this, &nodes_api::show)));
    CHECK_OK(operations.add(
        {.name = "topology.show",
         .summary = "Get the topology: zones, nodes and slots",
         .path = "/api/v1/topology",
         .gives = topology_shape(),
         .needed = right::topology_read},
        handler(this, &nodes_api::topology)));
    CHECK_OK(operations.add(
        {.name = "zones.slots",
         .summary = "Get the slot table of a zone",
         .path = "/api/v1/zones/{zone}/slots",
         .takes = {in_path("zone", name())},
         .gives = slots_shape(),
         .needed = right::topology_read,
         .within = scope::zone},
        handler(this, &nodes_api::slots)));
    CHECK_OK(operations.add(
        {.name = "nodes.limit",
         .summary = "Update the system limit of a node",
         .method = verb::patch,
         .path = item_path,
         .takes = {node_in_path(), in_body("systems_max", integer(0).with_about("0: no limit"))},
         .gives = node_shape(),
         .needed = right::topology_change,
         .within = scope::node},
        handler(this, &nodes_api::limit)));
    CHECK_OK(operations.add(
        {.name = "nodes.accept",
         .summary = "Accept a staged node into a zone",
         .method = verb::post,
         .path = "/api/v1/nodes/{node}/accept",
         .takes = {node_in_path(), optional_in_body("zone", name())},
         .gives = node_shape(),
         .needed = right::topology_change},
        handler(this, &nodes_api::accept)));
    using cluster::node_service;
    CHECK_OK(declare_change(
        operations, "stage", "Stage a pooled node, which wipes its data", &node_service::stage));
    CHECK_OK(declare_change(operations, "drain", "Drain a node", &node_service::drain));
    CHECK_OK(declare_change(
        operations, "undrain", "Return a drained node to service", &node_service::undrain));
    CHECK_OK(declare_change(
        operations,
        "evict",
        "Mark a node as faulty and reassign its systems at once",
        &node_service::evict));
    return declare_change(
        operations, "remove", "Delete a node that serves no systems", &node_service::remove);
}

void nodes_api::add_drift(json::object& response) const {
    auto drift = deps_.revisions.drift_state(
        std::string(response.at("name").get_string()), response.at("there").get_bool());
    if (!drift.empty()) response.emplace("common", std::move(drift));
}

async<reply> nodes_api::list(call call) {
    const auto state_name = call.optional_text("state");
    const auto state = state_name ? membership::parse_node_state(*state_name) : std::nullopt;
    const auto topology = call.context().topology.read();
    const auto slots = slots_by_node(*topology);
    json::array items;
    for (const auto& [name, node] : topology->nodes) {
        if ((state && node.state != *state) || !call.may_in(node.zone)) continue;
        items.push_back(node_json(*topology, node, slots, count_attached(node.number)));
        add_drift(items.back().get_object());
    }
    // Servers without the node role have no state, but users look for them here, too.
    for (const auto& [name, server] : topology->servers) {
        if (!state && !topology->nodes.contains(name)) items.push_back(server_json(server));
    }
    co_return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

reply nodes_api::node_reply(const call& call, const cluster::node_record& node) const {
    const auto topology = call.context().topology.read();
    auto response =
        node_json(*topology, node, slots_by_node(*topology), count_attached(node.number));
    add_drift(response);
    return reply{std::move(response)};
}

async<reply> nodes_api::show(call call) {
    const auto topology = call.context().topology.read();
    const auto& name = call.text("node");
    const auto node = topology->nodes.find(name);
    if (node != topology->nodes.end() && call.may_in(node->second.zone))
        co_return node_reply(call, node->second);
    const auto server = topology->servers.find(name);
    if (node == topology->nodes.end() && server != topology->servers.end())
        co_return reply{server_json(server->second)};
    co_return fail(errc::not_found, fmt::format("node \"{}\" not found", name));
}

async<reply> nodes_api::topology(call call) {
    co_return reply{topology_json(*call.context().topology.read())};
}

async<reply> nodes_api::slots(call call) {
    const auto topology = call.context().topology.read();
    const auto& zone = call.text("zone");
    if (!topology->zones.contains(zone))
        co_return fail(errc::not_found, fmt::format("zone \"{}\" not found", zone));
    co_return reply{slots_json(*topology, zone)};
}

async<reply> nodes_api::apply_change(call call, change change) {
    cluster::node_service nodes(call.context().engines.metastore, deps_.clock, publisher_of(call));
    CO_TRY(
        const auto node,
        co_await within(deps_.clock, engine_timeout, (nodes.*change)(call.text("node"))));
    co_return node_reply(call, node);
}

async<reply> nodes_api::accept(call call) {
    const auto zone = call.optional_text("zone").value_or(std::string(cluster::default_zone));
    cluster::node_service nodes(call.context().engines.metastore, deps_.clock, publisher_of(call));
    CO_TRY(
        const auto node,
        co_await within(deps_.clock, engine_timeout, nodes.accept(call.text("node"), zone)));
    co_return node_reply(call, node);
}

async<reply> nodes_api::limit(call call) {
    cluster::node_service nodes(call.context().engines.metastore, deps_.clock, publisher_of(call));
    CO_TRY(
        const auto node,
        co_await within(
            deps_.clock,
            engine_timeout,
            nodes.set_systems_max(call.text("node"), call.integer("systems_max"))));
    co_return node_reply(call, node);
}

std::optional<std::int64_t> nodes_api::count_attached(node_number node) const {
    const auto counts = deps_.presence.by_node();
    const auto it = counts.find(node);
    if (it == counts.end()) return std::nullopt;
    return static_cast<std::int64_t>(it->second.attached);
}

}  // namespace muster::api
