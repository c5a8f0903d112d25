#pragma once

#include "base/time.h"
#include "core/table/batch.h"
#include "ports/async.h"
#include "ports/limit_hits.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace muster::ledger_sql {

// The last sequence of every sequenced table of a ledger.
class sequence_source {
public:
    using sequences = std::map<std::string, table::sequence>;

    virtual ~sequence_source() = default;

    virtual result<sequences> read() = 0;  // on the thread of the notifier only
};

// Completes waits for a change of a sequenced table. Its thread reads the sequences after notify(),
// and on a timer while there are waiters: a lost notification only costs time. Thread-safe.
class sequence_notifier {
public:
    using sequences = sequence_source::sequences;

    struct options {
        std::chrono::milliseconds poll_interval = std::chrono::seconds(1);
        std::size_t waiters_max = 10'000;
    };

    sequence_notifier(sequence_source& source, options options);
    sequence_notifier(const sequence_notifier&) = delete;
    sequence_notifier& operator=(const sequence_notifier&) = delete;
    ~sequence_notifier();  // ends remaining waits with errc::unavailable

    struct wait_request {
        std::string table;
        table::sequence after;
        std::chrono::milliseconds timeout;
    };
    void wait(wait_request request, completion<table::sequence> done);
    void notify();

    limit_hits hits() const { return hits_.read(); }

private:
    struct waiter {
        std::string table;
        table::sequence after;
        instant deadline;
        completion<table::sequence> done;
    };

    void run();
    bool sleep();  // false: the notifier is closing
    void complete_waiters(const result<sequences>& sequences);
    std::chrono::milliseconds wait_time() const;

    sequence_source& source_;
    options options_;
    std::mutex mutex_;
    std::condition_variable wakeup_;
    std::vector<waiter> waiters_;
    bool notified_ = false;
    bool closing_ = false;
    limit_counter hits_;
    std::thread thread_;
};

}  // namespace muster::ledger_sql
