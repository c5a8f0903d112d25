#pragma once

#include "base/time.h"
#include "core/model/node.h"
#include "core/model/system.h"
#include "core/session/reason.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::presence {

// An IP address in sixteen bytes; IPv4 as ::ffff:a.b.c.d.
using packed_address = std::array<std::uint8_t, 16>;

// Seconds since 1970. Small, because there are millions of these.
using seconds = std::uint32_t;

inline seconds to_seconds(wall_time time) {
    return static_cast<seconds>(
        std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count());
}

struct attach_event {
    system_number system;
    packed_address address{};
    seconds since = 0;
    friend bool operator==(const attach_event&, const attach_event&) = default;
};

struct detach_event {
    system_number system;
    session::reason why = session::reason::unknown;
    seconds at = 0;
    friend bool operator==(const detach_event&, const detach_event&) = default;
};

// A message of a node on the bus about its attached systems: either the changes, or all attached
// systems in a range of numbers. attach_events are sorted by system number.
struct report {
    struct range {
        system_number first;
        system_number last;  // included
        friend bool operator==(const range&, const range&) = default;
    };

    node_number node;
    std::string zone;
    std::uint64_t start = 0;     // start of the node's process; grows even if its clock was set
                                 // back
    std::uint64_t sequence = 0;  // grows with every message of one process
    seconds at = 0;
    std::optional<range> complete_range;  // systems in it without an attach event are detached
    std::vector<attach_event> attach_events;
    std::vector<detach_event> detach_events;

    friend bool operator==(const report&, const report&) = default;
};

}  // namespace muster::presence
