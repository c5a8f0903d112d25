#include "services/fleet/system_follower.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "runtime/clock.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_row.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace muster::fleet {
namespace {

using harness::run_sync;

fingerprint print_of(unsigned char number) {
    fingerprint::bytes_type bytes{};
    bytes.front() = number;
    return fingerprint(bytes);
}

table::row row_of(unsigned char number) {
    return encode_system(
        {.print = print_of(number), .name = "web", .stage = enrolment::pooled, .version = 1}, {});
}

TEST_CASE("a row that cannot be read is passed over and counted, and hides no other") {
    constexpr std::size_t stage_cell = 4;
    const harness::temporary_directory where{"follower"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    const auto records = ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
    auto strange = row_of(2);
    strange.at(stage_cell) = std::string("of a newer version");
    table::batch change;
    change.writes.push_back(
        {.table = std::string(systems_table),
         .rows = {row_of(1), std::move(strange), row_of(3)},
         .existing = table::replace_if_grows{"version"}});
    REQUIRE(run_sync(records->write(std::move(change))).has_value());

    system_cache system_cache;
    system_follower follows(*records, system_cache, clock, log, {.page_rows = 1});
    REQUIRE(run_sync(follows.refresh()).has_value());

    CHECK(follows.skipped() == 1);
    CHECK(system_cache.complete());
    CHECK(system_cache.find(print_of(1)).has_value());
    CHECK_FALSE(system_cache.find(print_of(2)).has_value());
    CHECK(system_cache.find(print_of(3)).has_value());
}

}  // namespace
}  // namespace muster::fleet
