#pragma once

#include "base/time.h"
#include "sim/engines/codec.h"

#include <cstdint>
#include <string>

namespace muster::sim {

// What client and engine say to each other. The network may lose, double, delay and reorder it, so:
// a request is named by (client, call) and answered once however often it arrives; and it is meant
// for one life of the engine, since the next one does not remember which requests it has answered.
struct request_packet {
    std::uint64_t client = 0;
    std::uint64_t call = 0;
    std::uint64_t done_below = 0;   // the client has given up or got the answers of all before this
    std::uint64_t engine_life = 0;  // zero: not known yet, tell me
    monotonic::duration hold{};     // how long the engine may wait for something to answer with
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

void fields(auto& archive, is<request_packet> auto& what) {
    archive(what.client, what.call, what.done_below, what.engine_life, what.hold, what.body);
}

void fields(auto& archive, is<reply_packet> auto& what) {
    archive(what.client, what.call, what.engine_life, what.kind, what.body);
}

}  // namespace muster::sim
