#pragma once

// What every gateway in a test stands on: the engines of one machine, and nobody there yet.
#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/gateway/office.h"
#include "runtime/clock.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace muster::gateway::test {

using harness::answer_of;

struct engine_room {
    explicit engine_room(const char* name) : where(name) {
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
    }

    harness::temporary_directory where;
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    memory_bus doorbell{time};
    cluster::announcer bell{doorbell, log};
    cluster::topology_cell places;

    office::surroundings surroundings_of(const people::roster_cell& people) {
        return {
            .engines = {.metadata = *store, .records = *records, .doorbell = doorbell},
            .bell = bell,
            .topology = places,
            .people = people,
            .cluster = {}};
    }

    // The lines of the audit trail, oldest first, all the texts of one with `between` behind each.
    std::vector<std::string> audit(const std::string& between = "|") {
        const auto rows =
            answer_of(records->read({.table = "audit", .order = {"at"}, .limit = 1'000})).value();
        std::vector<std::string> told;
        for (const auto& each : rows.rows) {
            std::string line;
            for (const auto& cell : each)
                if (const auto* text = std::get_if<std::string>(&cell)) line += *text + between;
            told.push_back(line);
        }
        return told;
    }
    // Those about this deed.
    std::vector<std::string> deeds(const std::string& what) {
        std::vector<std::string> told;
        for (auto& each : audit(" "))
            if (each.contains(what)) told.push_back(std::move(each));
        return told;
    }
};

}  // namespace muster::gateway::test
