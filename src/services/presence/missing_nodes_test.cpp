#include "services/presence/missing_nodes.h"

#include "core/presence/report.h"

#include <doctest/doctest.h>

#include <memory>

namespace muster::presence {
namespace {

using namespace std::chrono_literals;

constexpr instant start{};

void add(cluster::topology& to, std::int64_t number, membership::node_state state, bool there) {
    const auto name = "n" + std::to_string(number);
    to.nodes[name] = {
        .number = node_number(number), .name = name, .zone = "default", .state = state};
    if (there) to.servers[name] = {.name = name};
}

TEST_CASE(
    "a node is missing that is away, was never heard, or is silent; not one without systems") {
    using membership::node_state;
    cluster::topology topology;
    add(topology, 1, node_state::serving, true);
    add(topology, 2, node_state::suspect, false);
    add(topology, 3, node_state::serving, true);
    add(topology, 4, node_state::serving, true);
    add(topology, 5, node_state::faulty, false);
    add(topology, 6, node_state::pooled, true);
    presence_cache presence_cache;
    const auto hear = [&](std::int64_t number, instant when) {
        const report report{
            .node = node_number(number), .zone = "default", .start = 1, .sequence = 1};
        REQUIRE(presence_cache.apply(report, when));
    };
    hear(1, start + 60s);
    hear(2, start + 60s);
    hear(4, start + 10s);

    const std::vector<missing_node> expected{
        {.name = "n2", .zone = "default"},
        {.name = "n3", .zone = "default"},
        {.name = "n4", .zone = "default"}};
    CHECK(missing_nodes(topology, presence_cache, start + 30s) == expected);
}

}  // namespace
}  // namespace muster::presence
