// Writes a synthetic fleet into the ledger of a server that has not started yet.
//
//   synthetic_fleet DATA_DIRECTORY SYSTEMS
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "services/fleet/facts_row.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_row.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/synthetic/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

namespace muster {
namespace {

using harness::run_sync;

constexpr std::uint64_t systems_a_batch = 2'000;

table::batch batch_of(std::uint64_t first, std::uint64_t last) {
    table::write systems{
        .table = std::string(fleet::systems_table), .rows = {}, .existing = table::replace{}};
    table::write facts{
        .table = std::string(fleet::facts_table), .rows = {}, .existing = table::replace{}};
    for (auto number = first; number <= last; ++number) {
        const auto system = synthetic::system_of(number);
        systems.rows.push_back(fleet::encode_system(system, system.enrolled));
        facts.rows.push_back(fleet::encode_facts(
            {.print = system.print,
             .document = synthetic::facts_of(number),
             .digest = std::to_string(number),
             .changed = system.enrolled}));
    }
    table::batch batch;
    batch.writes = {std::move(systems), std::move(facts)};
    return batch;
}

void fill(const std::filesystem::path& directory, std::uint64_t systems) {
    std::filesystem::create_directories(directory);
    const auto records = ledger_sqlite::open({.file = directory / "ledger.db"}).value();
    run_sync(records->migrate(schema::ledger_schema())).value();
    for (std::uint64_t first = 1; first <= systems; first += systems_a_batch) {
        const auto last = std::min(systems, first + systems_a_batch - 1);
        run_sync(records->write(batch_of(first, last))).value();
    }
}

}  // namespace
}  // namespace muster

int main(int count, char** words) {
    if (count != 3) {
        fmt::print(stderr, "usage: synthetic_fleet DATA_DIRECTORY SYSTEMS\n");
        return 2;
    }
    try {
        muster::fill(words[1], std::stoull(words[2]));
        return 0;
    } catch (const std::exception& failed) {
        fmt::print(stderr, "synthetic_fleet: {}\n", failed.what());
        return 1;
    }
}
