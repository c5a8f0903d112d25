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
    std::string database;      // made once, at the first migration; another database, another id
    std::int64_t version = 0;  // of the schema
};

// The SQL store of what grows. core/table/store.h is the model of what it means;
// contract: ports/contract/ledger_contract.h.
//
// Promises:
// - A batch is done as a whole or not at all, and an acknowledged one survives kill -9 and power
//   loss of the engine. The same batch twice changes nothing the second time.
// - In a sequenced table every inserted or replaced row takes a number in commit order: whoever has
//   read up to s never later finds a row at or below s that it has not seen. Numbers may be
//   skipped.
// - Reading page by page gives every row that stood still meanwhile exactly once.
// - errc::unavailable: it did not happen. errc::timed_out (write only): it may have happened; write
//   the batch again, it is idempotent. An engine that loses its connection does so by itself within
//   its timeout; then `changed` may count as kept what the first attempt did, and a `replace` or
//   an erasure takes effect anew, so writers of one row that race belong on replace_if_grows.
// - errc::invalid: the batch, query or schema is wrong, the text says where; nothing was sent.
// - Methods may be called from any thread; each completes on its caller's executor, within a
//   bounded time also when the engine is away. A migration takes as long as the engine works on it.
class ledger {
public:
    ledger() = default;
    ledger(const ledger&) = delete;
    ledger& operator=(const ledger&) = delete;
    virtual ~ledger() = default;

    // Brings the database up to `wanted`; the other methods work after it. Again: does nothing.
    // Many may do so at the same time. errc::conflict, with a sentence for the operator, when the
    // database is newer or its history is another one; then nothing is changed.
    virtual async<void> migrate(table::schema schema) = 0;

    // Looks at a database as it stands and changes nothing: the version of `known` it is at, zero
    // when it holds nothing yet. read() then works on the tables of that version, before
    // migrate(). errc::conflict as there.
    virtual async<std::int64_t> look(table::schema /*known*/) {
        co_return fail(errc::invalid, "this ledger can only be migrated");
    }

    virtual async<table::summary> write(table::batch change) = 0;
    virtual async<table::page> read(table::query question) = 0;

    // Waits until the table's sequence is past `after`, at most `timeout`; returns the last
    // sequence given. May end early: read, and wait again.
    virtual async<table::sequence> wait_for_change(
        std::string table, table::sequence after, std::chrono::milliseconds timeout) = 0;

    // Makes the partitions of a range ahead of need (table::partition_limits). Writing makes
    // those that are missing, too.
    virtual async<void> ensure_partitions(table::partition_range partition_range) = 0;

    // Drops the partitions that end at or before `before`, whole and without touching single rows
    // where the engine can.
    virtual async<void> retire(std::string table, wall_time before) = 0;

    virtual async<ledger_identity> identity() = 0;

    // How often limits of its own were hit; an engine without any has none to tell.
    virtual limit_hits hits() const { return {}; }
};

}  // namespace muster
