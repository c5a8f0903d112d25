#include "core/rollout/zone_part.h"

#include "base/prng.h"
#include "core/rollout/task_scheduler_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace muster::rollout {
namespace {

using owners = std::map<node_number, std::uint64_t>;

TEST_CASE("a zone's limit is split by slots, and an owner has at least one") {
    const owners uneven{{node_number(1), 12'000}, {node_number(2), 4'384}, {node_number(3), 0}};
    CHECK(zone_part(100, uneven, node_number(1)) == 73);
    CHECK(zone_part(100, uneven, node_number(2)) == 27);
    CHECK(zone_part(100, uneven, node_number(3)) == 0);
    CHECK(zone_part(100, uneven, node_number(4)) == 0);
    CHECK(zone_part(1, uneven, node_number(1)) == 1);
    CHECK(zone_part(1, uneven, node_number(2)) == 1);
}

TEST_CASE("the parts of all owners together are the limit, whoever owns how much") {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        prng random(seed);
        owners slots;
        std::uint64_t owning = 0;
        for (std::uint64_t remaining = 16'384, n = 1; remaining > 0; ++n) {
            const auto count = n == 9 ? remaining : random.below(remaining + 1);
            slots[node_number(static_cast<std::int64_t>(n))] = count;
            owning += count > 0 ? 1 : 0;
            remaining -= count;
        }
        const auto limit = 1 + random.below(random.chance(500) ? 20 : 1'000'000);
        std::uint64_t sum = 0;
        for (const auto& [node, count] : slots) sum += zone_part(limit, slots, node);
        INFO("seed ", seed);
        CHECK(sum == std::max(limit, owning));
    }
}

TEST_CASE("with fewer points a node starts nothing until as much came back") {
    node_under_test node(scheduler_options{.self = node_id("node1"), .node_tasks_max = 3});
    node.attach(1, 8);
    CHECK(node.open({}, 1, 8).size() == 3);

    CHECK(node.take(node.machine.set_node_tasks_max(2, node.now)).empty());
    CHECK(node.completes(1).empty());
    CHECK(node.completes(2).size() == 1);
    CHECK(node.running() == 2);

    CHECK(node.take(node.machine.set_node_tasks_max(4, node.now)).size() == 2);
    CHECK(node.running() == 4);
}

}  // namespace
}  // namespace muster::rollout
