#pragma once

#include "adapters/sqlite/database.h"
#include "core/table/batch.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::ledger_sqlite {

// Writes several batches with one durable commit. A batch that fails does not affect the others.
// Not thread-safe; used by the writer thread.
class group_writer {
public:
    explicit group_writer(sqlite::database& db) : db_(db) {}

    // The batches were checked against `tables`. One outcome for each, in order.
    std::vector<result<table::summary>> commit(
        const std::vector<const table::batch*>& group, const table::catalog& tables);

    // Discards cached statements; call it after a schema change.
    void clear_cache();

private:
    using sequences = std::map<std::string, table::sequence>;

    result<std::vector<result<table::summary>>> try_commit(
        const std::vector<const table::batch*>& group, const table::catalog& tables);
    result<table::summary> apply_in_savepoint(
        const table::batch& change, const table::catalog& tables);
    result<table::summary> apply(const table::batch& change, const table::catalog& tables);
    result<void> put_rows(
        const table::write& rows, const table::definition& table, table::summary& summary);
    result<void> erase_rows(
        const table::erasure& rows, const table::definition& table, table::summary& summary);
    result<table::sequence> last_sequence(const std::string& table);
    result<void> save_sequences();
    result<sqlite::statement*> prepare_cached(const std::string& text);

    sqlite::database& db_;
    std::map<std::string, sqlite::statement> statements_;  // by text: bounded by the schema
    sequences sequences_;                                  // in this group, not yet saved
};

}  // namespace muster::ledger_sqlite
