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

// Those who wait for a change of a sequenced table. A thread of its own looks at the sequences when
// the bell rings, and on a timer as long as somebody waits: a lost ring costs time, nothing else.
class sequence_notifier {
public:
    using sequences = sequence_source::sequences;

    struct options {
        std::chrono::milliseconds look_every = std::chrono::seconds(1);
        std::size_t waiters_max = 10'000;
    };

    sequence_notifier(sequence_source& source, options limits);
    sequence_notifier(const sequence_notifier&) = delete;
    sequence_notifier& operator=(const sequence_notifier&) = delete;
    ~sequence_notifier();  // whoever still waits is told errc::unavailable

    struct sequence_wait {
        std::string table;
        table::sequence after;
        std::chrono::milliseconds timeout;
    };
    void wait(sequence_wait sequence_wait, completion<table::sequence> done);
    void ring();

    limit_hits hits() const { return hits_.read(); }

private:
    struct waiter {
        std::string table;
        table::sequence after;
        instant deadline;
        completion<table::sequence> done;
    };

    void run();
    bool sleep();  // false: it is over
    void answer(const result<sequences>& sequences);
    std::chrono::milliseconds until_next_look() const;

    sequence_source& source_;
    options limits_;
    std::mutex guard_;
    std::condition_variable woken_;
    std::vector<waiter> waiting_;
    bool rung_ = false;
    bool closing_ = false;
    limit_counter hits_;
    std::thread thread_;
};

}  // namespace muster::ledger_sql
