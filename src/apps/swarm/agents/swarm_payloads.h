#pragma once

#include "core/session/agent_task.h"

#include <agent_protocol.pb.h>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace muster::swarm {

// Creates task outputs of a given size, all different and hard to compress. An output is derived
// from agent and task and created on demand; only the last few are cached. Not thread-safe; belongs
// to one event loop.
class swarm_payloads {
public:
    explicit swarm_payloads(std::size_t size) : size_(size) {}  // zero: no payloads

    bool enabled() const { return size_ > 0; }
    session::task_result build_result(std::uint64_t agent, session::task_name task);
    agent_protocol::PayloadPart build_part(
        std::uint64_t agent, const agent_protocol::PayloadWanted& payload_wanted);

private:
    static constexpr std::size_t recent_max = 32;

    struct output {
        std::uint64_t agent = 0;
        session::task_name task;
        std::string digest;
        std::size_t size = 0;
        std::string compressed;
    };

    const output& find(std::uint64_t agent, session::task_name task);

    std::size_t size_;
    std::deque<output> recent_;
};

}  // namespace muster::swarm
