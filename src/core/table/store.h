#pragma once

#include "core/table/batch.h"
#include "core/table/query.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace muster::table {

// The model of the ledger: what the port (ports/ledger.h) means, in memory, one caller at a time.
class store {
public:
    result<void> migrate(const schema& schema);

    // The version of `known` that it is at.
    result<std::int64_t> current_version(const schema& schema) const;

    result<summary> write(const batch& change);
    result<page> read(const table::query& query) const;

    // The last sequence given in the table; errc::invalid when it is not a sequenced one.
    result<sequence> last_sequence(const std::string& table) const;

    // Erases the partitions that end at or before `before`; returns how many rows that were.
    result<std::size_t> retire(const std::string& table, wall_time before);

    const catalog& tables() const { return catalog_; }

private:
    struct content {
        std::map<row, row> rows;  // by key; with the sequence when the table has one
        sequence last;
    };

    void put(
        const definition& table,
        const row& cells,
        const on_existing& policy,
        table::summary& summary);

    std::vector<applied_migration> applied_;
    catalog catalog_;
    std::map<std::string, content> contents_;
};

// Whether `next` may take the place of `current` (declared columns only).
bool may_replace(
    const definition& table, const on_existing& policy, const row& current, const row& next);

}  // namespace muster::table
