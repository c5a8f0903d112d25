#include "api/rest/topology_json.h"

#include "core/placement/slot_table.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::api {
namespace {

namespace json = boost::json;

cluster::topology two_nodes() {
    cluster::topology topology;
    for (const auto number : {1, 2}) {
        cluster::node_record node;
        node.name = "muster-" + std::to_string(number);
        node.number = node_number(number);
        node.zone = "default";
        topology.node_names[node.number] = node.name;
        topology.nodes[node.name] = node;
    }
    topology.zones["default"] = {};
    return topology;
}

TEST_CASE("slots are told by runs that cover all of them") {
    auto existing = two_nodes();
    std::vector<placement::move> moves;
    for (std::size_t n = 0; n < 100; ++n)
        moves.push_back({.moved_slot = slot(n), .from = {}, .to = node_number(n < 60 ? 2 : 1)});
    const auto table = placement::slot_table().apply_moves(moves);
    REQUIRE(table);
    existing.slots["default"] = std::make_shared<const placement::slot_table>(*table);

    const auto response = slots_json(existing, "default");

    CHECK(response.at("nodes") == json::value{"muster-2", "muster-1"});
    const auto& runs = response.at("runs").as_array();
    REQUIRE(runs.size() == 3);
    CHECK(runs[0] == json::value{60, 0, 1});
    CHECK(runs[1] == json::value{40, 1, 1});
    CHECK(runs[2] == json::value{16'284, -1, 0});
}

TEST_CASE("a zone without a table has nobody's slots") {
    const auto response = slots_json(two_nodes(), "default");
    CHECK(response.at("runs").as_array().size() == 1);
    CHECK(response.at("nodes").as_array().empty());
}

}  // namespace
}  // namespace muster::api
