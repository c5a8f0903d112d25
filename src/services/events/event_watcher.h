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

// Tells those who follow events that there may be news: one look at the ledger for all streams and
// webhooks of a server, however many they are, and a ring for each whom it concerns. While nobody
// waits nobody looks. Thread-safe, but for the two that follow: they live on one strand.
class event_watcher {
public:
    struct options {
        std::chrono::milliseconds timeout{1'000};                     // of one look
        monotonic::duration moment = std::chrono::milliseconds(200);  // between two rings
    };

    event_watcher(muster::ledger& ledger, muster::clock& clock, options options);
    event_watcher(const event_watcher&) = delete;
    event_watcher& operator=(const event_watcher&) = delete;
    ~event_watcher();  // whoever still waits is told errc::unavailable

    // Until there may be something for the filter behind a position, at most `timeout`. Fails as
    // the ledger does. Nobody is rung without the two below.
    async<void> wait(
        event_filter event_filter, event_position after, std::chrono::milliseconds timeout);

    // Until they are cancelled.
    boost::asio::awaitable<void> follow_events() { return follow(&events_); }
    boost::asio::awaitable<void> follow_returns() { return follow(&returns_); }

    std::size_t waiting() const;
    std::uint64_t looks() const { return looks_; }

private:
    // One of the two tables whose changes are followed.
    struct source {
        std::string table = {};
        std::int64_t event_position::* place = nullptr;
        std::int64_t last = 0;
        runtime::async_event wanted;  // somebody waits
    };
    struct waiter {
        bool events = false;
        bool returns = false;
        event_position after;
        instant until;
        completion<void> done;
    };

    boost::asio::awaitable<void> follow(source* source);
    void add(waiter waiter);
    bool wants(const waiter& waiter, const source& source) const;
    bool has_news(const waiter& waiter) const;
    bool is_awaited(const source& source) const;
    void forget_the_impatient();
    void publish(source& source, std::int64_t last);
    void give_up(const source& source, const error& why);

    ledger& ledger_;
    muster::clock& clock_;
    options options_;
    mutable std::mutex guard_;
    source events_;
    source returns_;
    std::vector<waiter> waiting_;
    std::atomic<std::uint64_t> looks_ = 0;
};

}  // namespace muster::events
