#include "roles/driver/capacity_estimator.h"

#include <doctest/doctest.h>

namespace muster::driver {
namespace {

using namespace std::chrono_literals;

cluster::topology nodes(std::int64_t count) {
    cluster::topology topology;
    for (std::int64_t number = 1; number <= count; ++number)
        topology.node_names[node_number(number)] = "muster-" + std::to_string(number);
    return topology;
}

load_report told(std::int64_t node, double cpu_seconds, std::chrono::seconds at) {
    return {
        .node = node_number(node),
        .systems = 1000,
        .cpu_seconds = cpu_seconds,
        .cores = 1,
        .reported_at = wall_time(at)};
}

TEST_CASE("a node that needs less for its systems has more room, and a removed one is forgotten") {
    capacity_estimator meter;
    meter.add_reports({told(1, 0, 100s), told(2, 0, 100s), told(3, 0, 100s)}, nodes(3));
    meter.add_reports({told(1, 1, 110s), told(2, 2, 110s), told(3, 4, 110s)}, nodes(3));
    const auto before = meter.capacities();
    CHECK(before.at(node_number(1)) > before.at(node_number(2)));
    CHECK(before.at(node_number(2)) > before.at(node_number(3)));
    CHECK(meter.nodes() == 3);

    meter.add_reports({told(1, 2, 120s), told(3, 8, 120s)}, nodes(1));

    CHECK(meter.nodes() == 1);
    CHECK_FALSE(meter.capacities().contains(node_number(2)));
    CHECK_FALSE(meter.capacities().contains(node_number(3)));
}

TEST_CASE("a node whose clock was set back is measured on from there") {
    capacity_estimator meter;
    meter.add_reports({told(1, 0, 1000s)}, nodes(1));
    meter.add_reports({told(1, 1, 100s)}, nodes(1));
    CHECK_FALSE(meter.capacities().contains(node_number(1)));

    meter.add_reports({told(1, 2, 110s)}, nodes(1));

    CHECK(meter.capacities().contains(node_number(1)));
}

}  // namespace
}  // namespace muster::driver
