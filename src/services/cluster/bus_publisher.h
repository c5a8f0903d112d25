#pragma once

#include "base/bounded_queue.h"
#include "ports/bus.h"
#include "runtime/async_event.h"
#include "runtime/log.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace muster::cluster {

// Publishes messages on the bus without blocking the caller. Delivery is best effort: a message
// that the bus refuses, or that finds the queue full, is dropped and counted.
class bus_publisher {
public:
    static constexpr std::size_t queued_max = 1024;

    bus_publisher(muster::bus& bus, runtime::logger& log) : bus_(bus), log_(log) {}

    void publish(stream::message message);  // thread-safe
    boost::asio::awaitable<void> run();     // runs until cancelled
    // Publishes what is queued. For the end of a server, when run() has ended.
    async<void> flush();

    std::uint64_t dropped() const { return dropped_; }

private:
    std::optional<stream::message> pop();
    async<void> send(stream::message message);

    muster::bus& bus_;
    runtime::logger& log_;
    std::mutex mutex_;
    bounded_queue<stream::message> queue_{queued_max};
    runtime::async_event message_queued_;
    std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace muster::cluster
