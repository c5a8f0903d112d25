#pragma once

#include "core/model/event.h"
#include "core/model/system.h"
#include "services/cluster/bus_publisher.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::fleet {

// A change of keys. publish_key_event() sends it as `muster.key.accepted` and so on, with many
// systems per message.
struct key_event {
    std::string_view
        kind;        // pooled, accepted, rejected, deleted, evicted, moved, unregistered, labelled
    std::string by;  // a user, "rule NAME", or empty
};

void publish_key_event(
    cluster::bus_publisher& bus, const key_event& event, std::span<const system_record> systems);

// Receives every change of keys.
class key_listener {
public:
    key_listener() = default;
    key_listener(const key_listener&) = delete;
    key_listener& operator=(const key_listener&) = delete;
    virtual ~key_listener() = default;

    virtual void keys_changed(const key_event& event, std::span<const system_record> systems) = 0;
};

// Builds the event records of a change: `system.accepted` and so on. Changes that any unknown agent
// can cause (pooled, renamed, evicted) give none, because they would fill the event log.
std::vector<event_record> build_key_events(
    const key_event& event, std::span<const system_record> systems, wall_time now);

}  // namespace muster::fleet
