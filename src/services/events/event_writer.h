#pragma once

#include "base/bounded_queue.h"
#include "runtime/async_event.h"
#include "runtime/log.h"
#include "services/events/event_log.h"
#include "services/events/event_sink.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace muster::events {

// Brings events on record without making whoever tells them wait: many in one batch, again after a
// failure. For events whose change is on record elsewhere already; one that must not be lost is
// written with its change, or by the state event recorder. What finds the queue full is dropped and
// counted.
class event_writer final : public event_sink {
public:
    static constexpr std::size_t waiting_max = 10'000;
    static constexpr std::size_t batch_max = 500;

    event_writer(event_log& to, runtime::logger& log) : to_(to), log_(log) {}

    void post(event_record event) override;
    boost::asio::awaitable<void> run();  // until it is cancelled
    // Writes what waits, now. After run() has ended.
    async<void> flush();

    std::uint64_t dropped() const { return dropped_; }

private:
    void refill();
    async<void> write_batch();
    async<void> write_each();

    event_log& to_;
    runtime::logger& log_;
    std::mutex guard_;
    bounded_queue<event_record> waiting_{waiting_max};
    std::vector<event_record> batch_;  // taken off the queue, not yet on record
    runtime::async_event more_;
    std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace muster::events
