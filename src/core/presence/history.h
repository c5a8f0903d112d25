#pragma once

#include "base/time.h"
#include "core/fleet/system_set.h"
#include "core/model/node.h"
#include "core/model/system.h"
#include "core/session/reason.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Who was attached where, over time. Each node keeps a record of its own, of sets of systems and
// never of single ones: it comes in chapters, and within a chapter in turns of some seconds. What
// no chapter of a node covers nobody knows of it.
namespace muster::presence::history {

// A chapter begins with who is attached then, and is complete when it was closed: whoever is not
// in the set of those that changed in it stayed as they were.
inline constexpr auto chapter_length = std::chrono::hours(6);

enum class ending : std::uint8_t {
    open = 0,     // it goes on, or its node fell silent
    full = 1,     // the next one begins where it ends
    stopped = 2,  // the node went down as planned, and nobody is attached to it
};

struct chapter {
    node_number node;
    std::int64_t start = 0;  // which start of the node's process
    wall_time opened;
    wall_time until;  // what happened up to then is on record
    ending how = ending::open;

    friend bool operator==(const chapter&, const chapter&) = default;
};

enum class turn : std::uint8_t { came = 0, left = 1 };

// What happened to many systems alike within one turn.
struct change {
    node_number node;
    wall_time at;  // the end of the turn
    turn what = turn::came;
    session::reason why = session::reason::unknown;  // of those who left
    std::int64_t step = 0;  // of one that came and went in the same turn: which was first
    fleet::system_set systems;
    std::string ages;  // a byte each, in the order of numbers: so many seconds before the end

    friend bool operator==(const change&, const change&) = default;
};

// The cluster noticed that a node is gone.
struct mark {
    node_number node;
    wall_time at;

    friend bool operator==(const mark&, const mark&) = default;
};

// When it happened to one of them, at the resolution of seconds.
wall_time moment_of(const change& change, system_number system);

}  // namespace muster::presence::history
