#include "services/fleet/system_follower.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "runtime/clock.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_row.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace muster::fleet {
namespace {

using harness::run_sync;

fingerprint print_of(unsigned char number) {
    fingerprint::bytes_type bytes{};
    bytes.front() = number;
    return fingerprint(bytes);
}

table::row row_of(unsigned char number, std::int64_t version = 1) {
    return encode_system(
        {.print = print_of(number), .name = "web", .stage = enrolment::pooled, .version = version},
        {});
}

struct fixture {
    harness::temporary_directory directory{"follower"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<muster::ledger> ledger =
        ledger_sqlite::open({.file = directory.path() / "ledger.db"}).value();
    system_cache systems;

    fixture() { REQUIRE(run_sync(ledger->migrate(schema::ledger_schema())).has_value()); }

    void write(std::vector<table::row> rows) {
        table::batch change;
        change.writes.push_back(
            {.table = std::string(systems_table),
             .rows = std::move(rows),
             .existing = table::replace_if_grows{"version"}});
        REQUIRE(run_sync(ledger->write(std::move(change))).has_value());
    }
};

table::row unreadable_row(unsigned char number, std::int64_t version = 1) {
    constexpr std::size_t stage_cell = 4;
    auto row = row_of(number, version);
    row.at(stage_cell) = std::string("of a newer version");
    return row;
}

TEST_CASE("a row that cannot be read is passed over and counted, and hides no other") {
    fixture fixture;
    fixture.write({row_of(1), unreadable_row(2), row_of(3)});

    system_follower follower(
        *fixture.ledger, fixture.systems, fixture.clock, fixture.log, {.page_rows = 1});
    REQUIRE(run_sync(follower.refresh()).has_value());

    CHECK(follower.skipped() == 1);
    CHECK(fixture.systems.complete());
    CHECK(fixture.systems.find(print_of(1)).has_value());
    CHECK_FALSE(fixture.systems.find(print_of(2)).has_value());
    CHECK(fixture.systems.find(print_of(3)).has_value());
}

TEST_CASE("a known system stays when its row is unreadable in a read of the whole table") {
    fixture fixture;
    fixture.write({row_of(1), row_of(2)});
    system_follower follower(
        *fixture.ledger,
        fixture.systems,
        fixture.clock,
        fixture.log,
        {.gap_max = monotonic::duration::zero()});
    REQUIRE(run_sync(follower.refresh()).has_value());
    std::size_t changes = 0;
    fixture.systems.watch([&](std::span<const change> changed) { changes += changed.size(); });

    fixture.write({unreadable_row(2, 2)});
    REQUIRE(run_sync(follower.refresh()).has_value());
    REQUIRE(run_sync(follower.refresh()).has_value());

    CHECK(fixture.systems.find(print_of(2)).has_value());
    CHECK(changes == 0);
}

}  // namespace
}  // namespace muster::fleet
