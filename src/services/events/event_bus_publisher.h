#pragma once

#include "runtime/log.h"
#include "services/cluster/bus_publisher.h"
#include "services/events/event_log.h"

#include <atomic>
#include <string_view>

namespace muster::events {

// Rings on the bus when there are new events, with how many of which kind: `muster.events`, one
// message for all that came in a moment. Whoever hears it reads from the cursor it has; whoever
// does not, looks by itself now and then. Works on the server of the active driver.
class event_bus_publisher {
public:
    static constexpr std::string_view subject = "muster.events";

    event_bus_publisher(event_log& events, cluster::bus_publisher& bus, runtime::logger& log)
        : events_(events), bus_(bus), log_(log) {}

    // Until it is cancelled; works while `active` says so.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);

private:
    // What came since `from`, told; where it went on to.
    async<event_position> ring(event_position from);
    async<void> follow(const std::atomic<bool>& active);

    event_log& events_;
    cluster::bus_publisher& bus_;
    runtime::logger& log_;
};

}  // namespace muster::events
