#pragma once

#include "core/table/batch.h"
#include "core/table/partition.h"
#include "core/table/query.h"
#include "core/table/schema.h"
#include "ports/async.h"
#include "ports/limit_hits.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace muster {

struct ledger_identity {
    std::string engine;        // for people: "PostgreSQL 15.20"
    std::string database;      // unique id, created by the first migration
    std::int64_t version = 0;  // of the schema
};

// The SQL store for data that grows. Model: core/table/store.h;
// contract: ports/contract/ledger_contract.h.
//
// Guarantees:
// - A batch is applied completely or not at all. An acknowledged batch survives kill -9 and power
//   loss of the engine. Writing the same batch again changes nothing.
// - In a sequenced table every inserted or replaced row gets a number in commit order. A reader
// that
//   has read up to s never finds a new row at or below s later. Numbers may be skipped.
// - Reading page by page returns every row that does not change meanwhile exactly once.
// - errc::unavailable: nothing was done. errc::timed_out (write only): the batch may have been
//   applied; write it again, it is idempotent.
// - An adapter that loses its connection repeats the write itself within its timeout. Then the
//   counts of the summary may miss rows of the first attempt, and a `replace` or an erasure takes
//   effect again. Use replace_if_grows where several writers race for one row.
// - errc::invalid: the batch, query or schema is wrong; nothing was sent.
// - Methods may be called from any thread; each completes on its caller's executor, within a
//   bounded time even if the engine is away. Only a migration has no time limit.
class ledger {
public:
    ledger() = default;
    ledger(const ledger&) = delete;
    ledger& operator=(const ledger&) = delete;
    virtual ~ledger() = default;

    // Migrates the database to `schema`; the other methods work afterwards. Idempotent. Several
    // processes may call it at the same time. errc::conflict, with a message for the operator, when
    // the database is newer or has another history; nothing is changed then.
    virtual async<void> migrate(table::schema schema) = 0;

    // Returns the schema version of the database without changing it; zero when it is empty. read()
    // then works on the tables of that version, before migrate(). errc::conflict as in migrate().
    virtual async<std::int64_t> inspect(table::schema /*schema*/) {
        co_return fail(errc::invalid, "ledger is open for migration only");
    }

    virtual async<table::summary> write(table::batch change) = 0;
    virtual async<table::page> read(table::query question) = 0;

    // Waits until the table has a sequence greater than `after`, at most `timeout`. Returns the
    // last sequence of the table. May end early: read, and wait again.
    virtual async<table::sequence> wait_for_change(
        std::string table, table::sequence after, std::chrono::milliseconds timeout) = 0;

    // Creates the partitions of a range ahead of need (table::partition_limits). Writing creates
    // missing partitions, too.
    virtual async<void> ensure_partitions(table::partition_range partition_range) = 0;

    // Drops the partitions that end at or before `before`, without deleting single rows where the
    // engine can.
    virtual async<void> drop_partitions(std::string table, wall_time before) = 0;

    virtual async<ledger_identity> identity() = 0;

    // How often limits of the adapter were hit; zero for an adapter without limits.
    virtual limit_hits hits() const { return {}; }
};

}  // namespace muster
