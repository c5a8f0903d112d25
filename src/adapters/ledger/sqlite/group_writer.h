#pragma once

#include "adapters/sqlite/database.h"
#include "core/table/batch.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::ledger_sqlite {

// Writes several batches with one durable commit. A batch that fails does so alone. Used by the
// thread that owns the connection.
class group_writer {
public:
    explicit group_writer(sqlite::database& on) : on_(on) {}

    // The batches were checked against `tables`. One outcome for each, in order.
    std::vector<result<table::summary>> commit(
        const std::vector<const table::batch*>& group, const table::catalog& tables);

    // Statements and sequences are kept between groups; a changed schema makes them stale.
    void forget();

private:
    using sequences = std::map<std::string, table::sequence>;

    result<std::vector<result<table::summary>>> try_commit(
        const std::vector<const table::batch*>& group, const table::catalog& tables);
    result<table::summary> apply_alone(const table::batch& change, const table::catalog& tables);
    result<table::summary> apply(const table::batch& change, const table::catalog& tables);
    result<void> put_all(
        const table::write& rows, const table::definition& table, table::summary& so_far);
    result<void> erase_all(
        const table::erasure& rows, const table::definition& table, table::summary& so_far);
    result<table::sequence> last_sequence(const std::string& table);
    result<void> save_sequences();
    result<sqlite::statement*> cached(const std::string& text);

    sqlite::database& on_;
    std::map<std::string, sqlite::statement> statements_;  // by text: bounded by the schema
    sequences taken_;                                      // in this group, not yet saved
};

}  // namespace muster::ledger_sqlite
