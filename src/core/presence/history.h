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

// The history of attachments. Each node records sets of systems, never single ones. Its history
// consists of report periods, each made of intervals of some seconds. Times that no period of a
// node covers are unknown.
namespace muster::presence::history {

// A period starts with the set of attached systems. When it is closed, it also has the set of
// systems that changed in it; all others stayed as they were.
inline constexpr auto period_length = std::chrono::hours(6);

enum class period_end : std::uint8_t {
    open = 0,     // it continues, or its node stopped reporting
    full = 1,     // the next period starts where this one ends
    stopped = 2,  // planned shutdown: no system is attached
};

struct report_period {
    node_number node;
    std::int64_t start = 0;  // identifies the process of the node
    wall_time opened;
    wall_time until;  // changes up to then are recorded
    period_end end = period_end::open;

    friend bool operator==(const report_period&, const report_period&) = default;
};

enum class change_kind : std::uint8_t { attached = 0, detached = 1 };

// The same change of many systems within one interval.
struct change {
    node_number node;
    wall_time at;  // end of the interval
    change_kind kind = change_kind::attached;
    session::reason why = session::reason::unknown;  // for detached systems
    std::int64_t step = 0;  // order of several changes of a system in one interval
    fleet::system_set systems;
    std::string ages;  // a byte for each system, by number: seconds before `at`

    friend bool operator==(const change&, const change&) = default;
};

// The cluster noticed that a node is missing.
struct missing_mark {
    node_number node;
    wall_time at;

    friend bool operator==(const missing_mark&, const missing_mark&) = default;
};

// When the change happened to one system, in whole seconds.
wall_time time_of(const change& change, system_number system);

}  // namespace muster::presence::history
