#pragma once

#include "core/events/event_filter.h"
#include "core/events/event_position.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/async_event.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace muster::events {

// Wakes readers of events when there may be new events. Polls the ledger once for all streams and
// webhooks of a server. Does not poll while no reader waits. Thread-safe except for follow_events()
// and follow_returns(): call them from one strand.
class event_watcher {
public:
    struct options {
        std::chrono::milliseconds timeout{1'000};  // of one wait for the ledger
        monotonic::duration wake_interval = std::chrono::milliseconds(200);  // between wake-ups
    };

    event_watcher(muster::ledger& ledger, muster::clock& clock, options options);
    event_watcher(const event_watcher&) = delete;
    event_watcher& operator=(const event_watcher&) = delete;
    ~event_watcher();  // fails pending waits with errc::unavailable

    // Waits until the filter may match something after a position, at most `timeout`. Returns
    // errors of the ledger. Needs the two coroutines below.
    async<void> wait(event_filter filter, event_position after, std::chrono::milliseconds timeout);

    // Run until they are cancelled.
    boost::asio::awaitable<void> follow_events() { return follow(&events_); }
    boost::asio::awaitable<void> follow_returns() { return follow(&returns_); }

    std::size_t waiter_count() const;
    std::uint64_t polls() const { return polls_; }

private:
    // One of the two tables that are polled.
    struct source {
        std::string table = {};
        std::int64_t event_position::* member = nullptr;
        std::int64_t last = 0;
        runtime::async_event wanted;  // a waiter was added
    };
    struct waiter {
        bool events = false;
        bool returns = false;
        event_position after;
        instant deadline;
        completion<void> done;
    };

    boost::asio::awaitable<void> follow(source* source);
    void add(waiter waiter);
    bool wants(const waiter& waiter, const source& source) const;
    bool has_news(const waiter& waiter) const;
    bool is_awaited(const source& source) const;
    void remove_expired();
    void wake_waiters(source& source, std::int64_t last);
    void fail_waiters(const source& source, const error& failure);

    ledger& ledger_;
    muster::clock& clock_;
    options options_;
    mutable std::mutex mutex_;
    source events_;
    source returns_;
    std::vector<waiter> waiters_;
    std::atomic<std::uint64_t> polls_ = 0;
};

}  // namespace muster::events
