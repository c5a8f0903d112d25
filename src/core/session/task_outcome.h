#pragma once

#include <cstdint>

namespace muster::session {

// What running a function means for the machine. The numbers are kept in journals.
enum class task_nature : std::uint8_t {
    ordinary = 0,  // its effects must not happen twice
    harmless = 1,  // it changes nothing: to run it again does no harm
    reboots = 2,   // it is done when the machine has been started anew
    chain = 3,     // several of these, one after the other
};

// The numbers go over the wire (proto/channel.proto).
enum class task_outcome : std::uint8_t {
    unknown = 0,
    succeeded = 1,
    failed = 2,
    timed_out = 3,
    interrupted = 4,
    cancelled = 5,
    refused = 6,
    not_started = 7,  // its time to start was over: another attempt may follow
};

}  // namespace muster::session
