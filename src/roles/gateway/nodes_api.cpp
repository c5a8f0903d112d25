#include "roles/gateway/nodes_api.h"

#include "ports/deadline.h"
#include "roles/gateway/json_body.h"
#include "roles/gateway/topology_json.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>
#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t body_bytes_max = 4096;

http::response told(const json::value& what) {
    return no_store(http::json(200, json::serialize(what)));
}

cluster::announcement ringing(const visitor& who) {
    return [desk = who.desk](stream::message what) {
        desk->bell.announce(std::move(what));
    };
}

// What "?state=" asks for: a state of a node, or nothing for all.
result<std::optional<membership::node_state>> wanted_state(const http::request& asked) {
    const auto text = asked.query("state");
    if (!text) return std::optional<membership::node_state>();
    const auto state = membership::parse_node_state(*text);
    if (!state)
        return fail(
            errc::invalid,
            "`state` is one of pooled, staged, serving, offline, suspect and faulty");
    return state;
}

}  // namespace

http::handler nodes_api::calling(answer (nodes_api::*method)(http::request)) {
    return [this, method](http::request asked) {
        return (this->*method)(std::move(asked));
    };
}

result<void> nodes_api::add_routes(http::router& routes) {
    const auto with_body = [this](auto method) {
        return http::route{.handle = calling(method), .body_bytes_max = body_bytes_max};
    };
    CHECK_OK(routes.add("GET", "/api/v1/nodes", {calling(&nodes_api::list)}));
    CHECK_OK(routes.add("GET", "/api/v1/topology", {calling(&nodes_api::topology)}));
    const std::string one = "/api/v1/nodes/{name}";
    CHECK_OK(routes.add("GET", one, {calling(&nodes_api::show)}));
    CHECK_OK(routes.add("PATCH", one, with_body(&nodes_api::limit)));
    CHECK_OK(routes.add("POST", one + "/stage", with_body(&nodes_api::stage)));
    CHECK_OK(routes.add("POST", one + "/accept", with_body(&nodes_api::accept)));
    CHECK_OK(routes.add("POST", one + "/drain", with_body(&nodes_api::drain)));
    CHECK_OK(routes.add("POST", one + "/undrain", with_body(&nodes_api::undrain)));
    CHECK_OK(routes.add("POST", one + "/give-up", with_body(&nodes_api::give_up)));
    CHECK_OK(routes.add("POST", one + "/remove", with_body(&nodes_api::remove)));
    return {};
}

nodes_api::answer nodes_api::list(http::request asked) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    CO_TRY(const auto state, wanted_state(asked));
    const auto known = visitor->desk->topology.read();
    const auto slots = slots_by_node(*known);
    json::array items;
    for (const auto& [name, node] : known->nodes) {
        if (state && node.state != *state) continue;
        items.push_back(node_json(*known, node, slots, given_.attached(node.number)));
    }
    // Servers without the role of a node have no state, but people look for them here, too.
    for (const auto& [name, server] : known->servers) {
        if (!state && !known->nodes.contains(name)) items.push_back(server_json(server));
    }
    co_return told(json::object{{"items", std::move(items)}, {"next", nullptr}});
}

http::response nodes_api::node_answer(const visitor& who, const cluster::node_record& node) const {
    const auto known = who.desk->topology.read();
    return told(node_json(*known, node, slots_by_node(*known), given_.attached(node.number)));
}

nodes_api::answer nodes_api::show(http::request asked) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    const auto known = visitor->desk->topology.read();
    const auto& name = asked.captured("name");
    const auto node = known->nodes.find(name);
    if (node != known->nodes.end()) co_return node_answer(*visitor, node->second);
    const auto server = known->servers.find(name);
    if (server != known->servers.end()) co_return told(server_json(server->second));
    co_return fail(errc::not_found, fmt::format("Node {} was not found", name));
}

nodes_api::answer nodes_api::topology(http::request asked) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    co_return told(topology_json(*visitor->desk->topology.read()));
}

nodes_api::answer nodes_api::changed(http::request asked, std::string what, change how) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    const std::string name = asked.captured("name");
    cluster::nodes office(visitor->desk->engines.metadata, time_, ringing(*visitor));
    const auto done = co_await within(time_, engine_patience, how(office, name));
    const auto recorded = co_await within(
        time_,
        engine_patience,
        visitor->desk->audit.record(
            {.who = visitor->user,
             .what = std::move(what),
             .origin = visitor->origin,
             .outcome = done ? "done" : "refused",
             .detail = done ? name : name + ": " + done.error().detail()}));
    if (!done) co_return refused(done.error());
    if (!recorded) co_return refused(recorded.error());
    co_return node_answer(*visitor, *done);
}

nodes_api::answer nodes_api::stage(http::request asked) {
    return changed(std::move(asked), "node.stage", [](cluster::nodes& office, std::string name) {
        return office.stage(std::move(name));
    });
}

nodes_api::answer nodes_api::drain(http::request asked) {
    return changed(std::move(asked), "node.drain", [](cluster::nodes& office, std::string name) {
        return office.drain(std::move(name));
    });
}

nodes_api::answer nodes_api::undrain(http::request asked) {
    return changed(std::move(asked), "node.undrain", [](cluster::nodes& office, std::string name) {
        return office.undrain(std::move(name));
    });
}

nodes_api::answer nodes_api::give_up(http::request asked) {
    return changed(std::move(asked), "node.give_up", [](cluster::nodes& office, std::string name) {
        return office.give_up(std::move(name));
    });
}

nodes_api::answer nodes_api::accept(http::request asked) {
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto zone, body.optional_text("zone"));
    CO_CHECK_OK(body.finish());
    const std::string into = zone.value_or(std::string(cluster::default_zone));
    change how = [into](cluster::nodes& office, std::string name) {
        return office.accept(std::move(name), into);
    };
    co_return co_await changed(std::move(asked), "node.accept", std::move(how));
}

nodes_api::answer nodes_api::limit(http::request asked) {
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto most, body.optional_integer("systems_max"));
    CO_CHECK_OK(body.finish());
    if (!most) co_return fail(errc::invalid, "`systems_max` is missing");
    change how = [most](cluster::nodes& office, std::string name) {
        return office.limit(std::move(name), *most);
    };
    co_return co_await changed(std::move(asked), "node.limit", std::move(how));
}

nodes_api::answer nodes_api::remove(http::request asked) {
    return changed(std::move(asked), "node.remove", [](cluster::nodes& office, std::string name) {
        return office.remove(std::move(name));
    });
}

}  // namespace muster::gateway
