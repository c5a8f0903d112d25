#pragma once

#include <cstdint>
#include <string_view>

namespace muster::session {

// Why a node does not take an agent in, or how a channel ended. Those up to `replaced` go over the
// wire under their numbers (proto/channel.proto); the others only one side knows.
enum class reason : std::uint8_t {
    unknown = 0,
    moved = 1,
    orphan = 2,
    fresh = 3,
    deleted = 4,
    busy = 5,
    denied = 6,
    stopping = 7,
    replaced = 8,

    closed = 16,     // the agent hung up
    broken = 17,     // the connection failed
    silent = 18,     // nothing was heard for too long
    malformed = 19,  // the agent broke the protocol
    node_lost = 20,  // its node fell silent, and nobody knows more
};

std::string_view to_string(reason why);

}  // namespace muster::session
