#include "adapters/ledger/postgres/group_writer.h"
#include "adapters/ledger/postgres/migrator.h"
#include "ports/contract/ledger_test_client.h"
#include "tests/fixtures/ledger/postgres_connection.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// What the batches of one commit are told of themselves.
namespace muster::ledger_postgres {
namespace {

using contract::machine;
using contract::one_write;

struct stage {
    harness::postgres_server server;
    std::shared_ptr<const table::catalog> tables = known_tables();
    std::atomic<bool> sequence_notifier = false;
    group_writer writer{migrated(), sequence_notifier};

    static std::shared_ptr<const table::catalog> known_tables() {
        return std::make_shared<const table::catalog>(
            table::catalog::of(contract::scenario_schema()).value());
    }

    connection migrated() const {
        const auto how = reaching(server);
        auto result = connected_to(server);
        REQUIRE(migrate(result, contract::scenario_schema(), how, in_time()).has_value());
        return result;
    }

    std::vector<table::summary> write(std::vector<table::batch> changes) {
        std::vector<write_request> requests(changes.size());
        std::vector<write_request*> group;
        for (std::size_t at = 0; at < changes.size(); ++at) {
            requests[at].tables = tables;
            requests[at].change = std::move(changes[at]);
            group.push_back(&requests[at]);
        }
        auto written = writer.write(group, in_time());
        REQUIRE_MESSAGE(written.has_value(), to_string(written.error()));
        return *std::move(written);
    }
};

table::summary changed(std::size_t rows, std::int64_t last) {
    return {.changed = rows, .last = table::sequence(last)};
}

TEST_CASE("every batch of a group learns what became of its own rows, all new or not") {
    stage fixture;
    const table::on_existing growing = table::replace_if_grows{"state"};

    const auto fresh = fixture.write(
        {one_write("machines", {machine("web1", 1), machine("web2", 1)}),
         one_write("machines", {machine("db1", 1)})});
    const auto mixed = fixture.write(
        {one_write("machines", {machine("web1", 2)}),
         one_write("machines", {machine("web3", 1), machine("web2", 2)})});
    const auto two_lanes = fixture.write(
        {one_write("machines", {machine("web4", 1)}),
         one_write("machines", {machine("web1", 3), machine("web2", 3)}, growing)});

    CHECK(fresh == std::vector{changed(2, 2), changed(1, 3)});
    CHECK(
        mixed
        == std::vector<table::summary>{
            {.kept = 1}, {.changed = 1, .kept = 1, .last = table::sequence(5)}});
    CHECK(two_lanes == std::vector{changed(1, 7), changed(2, 9)});
}

}  // namespace
}  // namespace muster::ledger_postgres
