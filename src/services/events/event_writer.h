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

// Queues events and writes them to the ledger in batches; retries after a failure. For events that
// may be lost in a crash. Others are written with their change, or by the state event recorder.
// Drops and counts events when the queue is full. post() is thread-safe; call the rest from one
// strand.
class event_writer final : public event_sink {
public:
    static constexpr std::size_t queue_max = 10'000;
    static constexpr std::size_t batch_max = 500;

    event_writer(event_log& events, runtime::logger& log) : events_(events), log_(log) {}

    void post(event_record event) override;
    boost::asio::awaitable<void> run();  // until it is cancelled
    // Writes all queued events. Call after run() has ended.
    async<void> flush();

    std::uint64_t dropped() const { return dropped_; }

private:
    void refill();
    async<void> write_batch();
    async<void> write_each();

    event_log& events_;
    runtime::logger& log_;
    std::mutex mutex_;
    bounded_queue<event_record> queue_{queue_max};
    std::vector<event_record> batch_;  // removed from the queue, not written yet
    runtime::async_event queued_;
    std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace muster::events
