#pragma once

#include <cstdint>
#include <string_view>

namespace muster::session {

// Why a node refused an agent, or how a connection ended. Values up to `replaced` go over the wire
// (proto/agent_protocol.proto); the others are local.
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

    closed = 16,     // the agent closed the connection
    broken = 17,     // the connection failed
    silent = 18,     // heartbeat timeout
    malformed = 19,  // the agent broke the protocol
    node_lost = 20,  // the node stopped reporting
};

std::string_view to_string(reason why);

}  // namespace muster::session
