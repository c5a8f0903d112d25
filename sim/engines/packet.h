#pragma once

#include "base/time.h"
#include "sim/engines/codec.h"

#include <cstdint>
#include <string>

namespace muster::sim {

// Packets between client and engine. The network can lose, duplicate, delay and reorder them. So a
// request is identified by (client, call) and executed once, however often it arrives. It is
// addressed to one life of the engine, because the next life does not know which requests were
// answered.
struct request_packet {
    std::uint64_t client = 0;
    std::uint64_t call = 0;
    std::uint64_t done_below = 0;   // the client needs no replies to calls before this
    std::uint64_t engine_life = 0;  // zero: unknown; the reply tells it
    monotonic::duration hold{};     // how long the engine may delay the reply until there is data
    std::string body;
};

enum class reply_kind : std::uint8_t { answer, other_life };

struct reply_packet {
    std::uint64_t client = 0;
    std::uint64_t call = 0;
    std::uint64_t engine_life = 0;
    reply_kind kind = reply_kind::answer;
    std::string body;
};

void fields(auto& archive, is<request_packet> auto& value) {
    archive(value.client, value.call, value.done_below, value.engine_life, value.hold, value.body);
}

void fields(auto& archive, is<reply_packet> auto& value) {
    archive(value.client, value.call, value.engine_life, value.kind, value.body);
}

}  // namespace muster::sim
