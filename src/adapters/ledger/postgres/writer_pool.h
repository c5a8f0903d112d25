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

// The threads that write, each with a connection. Whatever waits when one of them is free becomes
// its next group. A group that failed is tried again until its requests' the timeout is over; a
// request the server refuses for what it is fails alone.
class writer_pool {
public:
    writer_pool(const settings& settings, const std::atomic<bool>& sequence_notifier);
    writer_pool(const writer_pool&) = delete;
    writer_pool& operator=(const writer_pool&) = delete;
    ~writer_pool();

    void submit(write_request write_request);

    limit_hits hits() const { return queue_.hits() + bytes_.hits(); }

private:
    using session = std::optional<group_writer>;
    using requests = std::vector<write_request*>;

    void run(std::size_t number);
    void write(session& through, std::vector<write_request> write_requests, backoff& pauses);
    void write_each(session& through, const requests& group);
    result<std::vector<table::summary>> attempt(session& through, const requests& group);
    void settle_expired(requests& group, const error& reason);
    void refuse_expired(const error& reason);
    void settle(write_request& write_request, result<table::summary> outcome);

    const settings& options_;
    const std::atomic<bool>& doorbell_;
    ledger_sql::work_queue<write_request> queue_;
    ledger_sql::byte_budget bytes_;
    std::vector<std::thread> threads_;
};

}  // namespace muster::ledger_postgres
