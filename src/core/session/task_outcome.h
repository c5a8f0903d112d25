#pragma once

#include <cstdint>

namespace muster::session {

// The effect of a function on the machine. Journals store the numbers.
enum class task_nature : std::uint8_t {
    ordinary = 0,  // must not run twice
    harmless = 1,  // changes nothing; may run again
    reboots = 2,   // done when the machine has booted again
    chain = 3,     // several steps in order
};

// How a task ended. The numbers go over the wire (proto/agent_protocol.proto).
enum class task_outcome : std::uint8_t {
    unknown = 0,
    succeeded = 1,
    failed = 2,
    timed_out = 3,
    interrupted = 4,
    cancelled = 5,
    refused = 6,
    not_started = 7,  // its window closed before it started; another attempt may follow
};

}  // namespace muster::session
