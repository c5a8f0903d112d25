#pragma once

#include "adapters/ledger/postgres/settings.h"
#include "adapters/ledger/sql/group_size.h"
#include "base/time.h"
#include "core/table/batch.h"
#include "ports/async.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace muster::ledger_postgres {

// A batch that waits to be written.
struct write_request {
    std::shared_ptr<const table::catalog> tables;
    table::batch change;  // checked against `tables`
    std::vector<std::string> keys;
    std::size_t rows = 0;
    std::size_t bytes = 0;
    instant deadline;
    bool uncertain = false;  // an earlier try may have been committed
    completion<table::summary> done;
};

// Selects requests for one commit: limited in size, all with one catalog, and no row touched by two
// of them, because one INSERT cannot change a row twice.
class group_limit {
public:
    explicit group_limit(const settings& settings)
        : size_({.rows_max = settings.group_rows_max, .bytes_max = settings.group_bytes_max}) {}

    bool accept(const write_request& request);

private:
    ledger_sql::group_size size_;
    const table::catalog* tables_ = nullptr;
    std::unordered_set<std::string_view> keys_;  // never iterated; views into the requests' keys
};

struct staged_row {
    std::int32_t batch = 0;  // index of the request in the group
    const table::row* cells = nullptr;
};

// The rows of one table with the same rule for existing rows.
struct insert_batch {
    table::on_existing policy;
    std::vector<staged_row> rows;
};

struct staged_table {
    const table::definition* table = nullptr;
    std::vector<insert_batch> insert_batches;

    std::size_t row_count() const;
    std::set<wall_time> partitions() const;  // starts of the partitions that the rows need
};

struct staged_erasure {
    std::int32_t batch = 0;
    const table::definition* table = nullptr;
    const table::row* key = nullptr;
};

// The rows and erasures of a group of requests, by table. The order of tables is always the same,
// so that two writers cannot deadlock on the counters.
struct staged_group {
    std::map<std::string, staged_table> tables;
    std::vector<staged_erasure> erasures;
};

staged_group stage(const std::vector<write_request*>& requests);

}  // namespace muster::ledger_postgres
