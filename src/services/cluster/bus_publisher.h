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

// Rings on the bus without making anybody wait. The bus is only a doorbell: a message it does not
// take, or that finds too many waiting already, is dropped and counted.
class bus_publisher {
public:
    static constexpr std::size_t waiting_max = 1024;

    bus_publisher(bus& bus, runtime::logger& log) : doorbell_(bus), log_(log) {}

    void announce(stream::message message);  // from any thread
    boost::asio::awaitable<void> run();      // until it is cancelled

    std::uint64_t dropped() const { return dropped_; }

private:
    std::optional<stream::message> take();

    bus& doorbell_;
    runtime::logger& log_;
    std::mutex guard_;
    bounded_queue<stream::message> waiting_{waiting_max};
    runtime::async_event more_;
    std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace muster::cluster
