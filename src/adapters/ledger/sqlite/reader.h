#pragma once

#include "adapters/ledger/sql/work_queue.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/sqlite/database.h"

#include <memory>
#include <thread>
#include <vector>

namespace muster::ledger_sqlite {

struct read_request {
    std::shared_ptr<const table::catalog> tables;
    table::query query;
    completion<table::page> done;
};

// The threads that read, each with its own connection: a long read does not block writes.
// Thread-safe.
class reader {
public:
    reader(std::vector<sqlite::database> connections, const options& settings);
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;
    ~reader();

    void submit(read_request request);

    limit_hits hits() const { return queue_.hits(); }

private:
    void run(sqlite::database& db);

    std::vector<sqlite::database> connections_;
    ledger_sql::work_queue<read_request> queue_;
    std::vector<std::thread> threads_;
};

}  // namespace muster::ledger_sqlite
