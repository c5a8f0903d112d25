#pragma once

#include "core/model/event.h"
#include "core/model/system.h"
#include "services/cluster/bus_publisher.h"

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
    cluster::bus_publisher& bus, const key_event& happened, std::span<const system_record> systems);

// Whoever else wants to hear of it.
class key_listener {
public:
    key_listener() = default;
    key_listener(const key_listener&) = delete;
    key_listener& operator=(const key_listener&) = delete;
    virtual ~key_listener() = default;

    virtual void keys_changed(const key_event& event, std::span<const system_record> systems) = 0;
};

// The same for the record of events, `system.accepted` and so on. Nothing for what anybody who
// knocks can cause, which would fill the record: pooled, renamed, evicted.
std::vector<event_record> notices_of(
    const key_event& happened, std::span<const system_record> systems, wall_time now);

}  // namespace muster::fleet
