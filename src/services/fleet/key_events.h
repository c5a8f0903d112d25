#pragma once

#include "core/model/event.h"
#include "core/model/system.h"
#include "services/cluster/bus_publisher.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::fleet {

// Tells the bus what became of keys: `muster.key.accepted` and so on, many systems a message.
struct key_event {
    std::string_view
        what;        // pooled, accepted, rejected, deleted, evicted, moved, unregistered, labelled
    std::string by;  // a user, "rule NAME", or empty
};

void announce(
    cluster::bus_publisher& bell,
    const key_event& happened,
    std::span<const system_record> systems);

// Whoever else wants to hear of it.
using key_listener = std::function<void(const key_event&, std::span<const system_record>)>;

// The same for the record of events, `system.accepted` and so on. Nothing for what anybody who
// knocks can cause, which would fill the record: pooled, renamed, evicted.
std::vector<event_record> notices_of(
    const key_event& happened, std::span<const system_record> systems, wall_time now);

}  // namespace muster::fleet
