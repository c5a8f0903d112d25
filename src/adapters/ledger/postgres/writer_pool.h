#pragma once

#include "adapters/ledger/postgres/group_writer.h"
#include "adapters/ledger/sql/byte_budget.h"
#include "adapters/ledger/sql/work_queue.h"
#include "base/backoff.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

namespace muster::ledger_postgres {

// The threads that write, each with a connection. A free thread takes the waiting requests as its
// next group. A failed group is repeated until the timeout of its requests; a request that the
// server refuses fails alone. Thread-safe.
class writer_pool {
public:
    writer_pool(const settings& settings, const std::atomic<bool>& notify_supported);
    writer_pool(const writer_pool&) = delete;
    writer_pool& operator=(const writer_pool&) = delete;
    ~writer_pool();

    void submit(write_request request);

    limit_hits hits() const { return queue_.hits() + bytes_.hits(); }

private:
    using session = std::optional<group_writer>;
    using requests = std::vector<write_request*>;

    void run(std::size_t number);
    void write(session& writer, std::vector<write_request> owned_requests, backoff& pauses);
    void write_one_by_one(session& writer, const requests& group);
    result<std::vector<table::summary>> attempt(session& writer, const requests& group);
    void complete_expired(requests& group, const error& reason);
    void drop_expired(const error& reason);
    void complete(write_request& request, result<table::summary> outcome);

    const settings& options_;
    const std::atomic<bool>& notify_supported_;
    ledger_sql::work_queue<write_request> queue_;
    ledger_sql::byte_budget bytes_;
    std::vector<std::thread> threads_;
};

}  // namespace muster::ledger_postgres
