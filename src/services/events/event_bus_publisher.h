#pragma once

#include "runtime/log.h"
#include "services/cluster/bus_publisher.h"
#include "services/events/event_log.h"

#include <atomic>
#include <string_view>

namespace muster::events {

// Publishes the number of new events by kind on the bus subject `muster.events`, in one message per
// interval. Subscribers then read from their own cursor. They also poll, so a lost message does no
// harm. Runs on the server of the active driver. Not thread-safe; call from one strand.
class event_bus_publisher {
public:
    static constexpr std::string_view subject = "muster.events";

    event_bus_publisher(event_log& events, cluster::bus_publisher& bus, runtime::logger& log)
        : events_(events), bus_(bus), log_(log) {}

    // Runs until it is cancelled. Pauses while `active` is false.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);

private:
    // Publishes the events after a position, and returns the next position.
    async<event_position> publish(event_position after);
    async<void> follow(const std::atomic<bool>& active);

    event_log& events_;
    cluster::bus_publisher& bus_;
    runtime::logger& log_;
};

}  // namespace muster::events
