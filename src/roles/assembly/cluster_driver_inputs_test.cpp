#include "roles/assembly/cluster_driver_inputs.h"

#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "runtime/clock.h"
#include "services/bootstrap/server_credentials.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <memory>
#include <numeric>
#include <span>

namespace muster::roles {
namespace {

// A server that has not read the topology yet.
struct fixture {
    harness::temporary_directory where{"driver-inputs"};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    cluster::topology_cache topology;
    cluster::topology_follower follower{*store, clock, topology, log, {}};
    fleet::system_cache systems;
    presence::load_cache loads;
    bootstrap::server_credentials credentials;
    api::probe_api probes{clock, credentials, {}};
    cluster_driver_inputs inputs{
        {.follower = follower,
         .topology = topology,
         .systems = systems,
         .loads = loads,
         .probes = probes}};
};

TEST_CASE("a load report counts for the node that the topology has under its name") {
    fixture setup;
    auto next = std::make_shared<cluster::topology>();
    next->nodes["alpha"] = {.number = node_number(3), .name = "alpha", .zone = "default"};
    setup.topology.publish(std::move(next));

    setup.loads.apply({.node = "alpha", .attached = 7, .cpu_seconds = 5, .cores = 4}, {});
    setup.loads.apply({.node = "forgotten", .attached = 9}, {});

    const auto reports = setup.inputs.loads();
    REQUIRE(reports.size() == 1);
    CHECK(reports.front().node == node_number(3));
    CHECK(reports.front().systems == 7);
    CHECK(reports.front().cpu_seconds == 5);
    CHECK(reports.front().cores == 4);
}

TEST_CASE("each accepted system of a zone counts for its slot") {
    fixture setup;
    const system_record web1{
        .print = fingerprint(fingerprint::bytes_type{}),
        .name = "web1",
        .stage = enrolment::accepted,
        .number = system_number(1),
        .zone = "default"};
    setup.systems.begin_reading();
    setup.systems.apply(std::span(&web1, 1));
    setup.systems.end_reading();

    const auto here = setup.inputs.weights("default");
    const auto elsewhere = setup.inputs.weights("other");

    CHECK(here.at(slot::of(web1.print).number()) == 1);
    CHECK(std::accumulate(here.begin(), here.end(), std::uint64_t{0}) == 1);
    CHECK(std::accumulate(elsewhere.begin(), elsewhere.end(), std::uint64_t{0}) == 0);
}

TEST_CASE("systems that were read whole do not stand for a topology that was not") {
    fixture setup;
    setup.systems.begin_reading();
    setup.systems.end_reading();

    CHECK_FALSE(setup.inputs.topology_complete());
}

}  // namespace
}  // namespace muster::roles
