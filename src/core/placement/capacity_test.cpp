#include "core/placement/capacity.h"

#include <doctest/doctest.h>

namespace muster::placement {
namespace {

const node_number small(1);
const node_number usual(2);
const node_number large(3);

load_sample with_cores(double cores) {
    return {.systems = 10'000, .cpu_seconds = 2, .seconds = 5, .cores = cores};
}

TEST_CASE("before anything was measured all nodes are equal") {
    CHECK(capacity_gauge().capacities().empty());
}

TEST_CASE("a node with twice the cores at the same cost a system carries twice as many") {
    capacity_gauge gauge;
    gauge.observe(small, with_cores(2));
    gauge.observe(usual, with_cores(4));
    gauge.observe(large, with_cores(8));

    auto response = gauge.capacities();

    CHECK(response[small] == 512);
    CHECK(response[usual] == 1024);
    CHECK(response[large] == 2048);
}

TEST_CASE("no node counts for more than four times or less than a quarter of the median") {
    capacity_gauge gauge;
    gauge.observe(small, with_cores(1));
    gauge.observe(usual, with_cores(16));
    gauge.observe(large, with_cores(256));

    auto response = gauge.capacities();

    CHECK(response[small] == 256);
    CHECK(response[large] == 4096);
}

TEST_CASE("a node with few systems says nothing about its capacity") {
    capacity_gauge gauge;
    gauge.observe(small, {.systems = 3, .cpu_seconds = 5, .seconds = 5, .cores = 2});

    CHECK(gauge.capacities().empty());
}

TEST_CASE("noise moves nobody, a lasting change is followed") {
    capacity_gauge gauge;
    for (const auto node : {small, usual, large}) gauge.observe(node, with_cores(4));
    REQUIRE(gauge.capacities()[large] == 1024);

    gauge.observe(large, with_cores(5));
    CHECK(gauge.capacities()[large] == 1024);
    for (int step = 0; step < 50; ++step) gauge.observe(large, with_cores(8));
    CHECK(gauge.capacities()[large] > 1900);
}

}  // namespace
}  // namespace muster::placement
