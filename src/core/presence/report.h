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

// Seconds since 1970: presence is for people, who need no more, and there are millions of these.
using seconds = std::uint32_t;

inline seconds seconds_of(wall_time moment) {
    return static_cast<seconds>(
        std::chrono::floor<std::chrono::seconds>(moment).time_since_epoch().count());
}

struct arrival {
    system_number system;
    packed_address address{};
    seconds since = 0;
    friend bool operator==(const arrival&, const arrival&) = default;
};

struct departure {
    system_number system;
    session::reason why = session::reason::unknown;
    seconds at = 0;
    friend bool operator==(const departure&, const departure&) = default;
};

// What a node tells of the systems attached to it, as one message on the bus: either what changed,
// or all that are attached within a range of numbers. Arrivals are in the order of numbers.
struct report {
    struct range {
        system_number first;
        system_number last;  // included
        friend bool operator==(const range&, const range&) = default;
    };

    node_number node;
    std::string zone;
    std::uint64_t start = 0;  // which start of the node's process: later ones are larger, even if
                              // its clock was set back
    std::uint64_t sequence = 0;  // grows with every message of one start
    seconds at = 0;
    std::optional<range> whole;  // who is in it and not among the arrivals is not attached
    std::vector<arrival> arrivals;
    std::vector<departure> departures;

    friend bool operator==(const report&, const report&) = default;
};

}  // namespace muster::presence
