#include "roles/node/dispatch/zone_limit.h"

#include "core/placement/slot_table.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace muster::dispatch {
namespace {

// alpha and beta share a zone evenly; gamma is in it and owns nothing.
cluster::topology shared_zone(std::int64_t tasks_max) {
    cluster::topology topology;
    topology.zones["default"] = {.name = "default", .tasks_max = tasks_max};
    std::int64_t number = 0;
    for (const auto* const name : {"alpha", "beta", "gamma"}) {
        topology.nodes[name] = {.number = node_number(++number), .name = name, .zone = "default"};
        topology.node_names[node_number(number)] = name;
    }
    std::vector<placement::move> moves;
    for (std::size_t n = 0; n < slot::count; ++n)
        moves.push_back(
            {.moved_slot = slot(n),
             .from = node_number(),
             .to = node_number(n < slot::count / 2 ? 1 : 2)});
    topology.slots["default"] =
        std::make_shared<placement::slot_table>(placement::slot_table().apply_moves(moves).value());
    return topology;
}

TEST_CASE("a node bears what it can, or its part of what its zone may have") {
    CHECK(node_points(shared_zone(0), "alpha", 2'000) == 2'000);
    const auto limited = shared_zone(101);
    CHECK(node_points(limited, "alpha", 2'000) + node_points(limited, "beta", 2'000) == 101);
    CHECK(node_points(limited, "alpha", 20) == 20);
    CHECK(node_points(limited, "gamma", 2'000) == 1);
    CHECK(node_points(limited, "nobody", 2'000) == 2'000);
}

}  // namespace
}  // namespace muster::dispatch
