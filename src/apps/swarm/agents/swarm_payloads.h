#pragma once

#include "core/session/agent_task.h"

#include <agent_protocol.pb.h>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace muster::swarm {

// Outputs of a given size for the tasks of a swarm, no two alike and hard to compress. What a task
// returned follows from its agent and its name and is made when it is asked for: nothing is kept
// but the last few. Belongs to one event loop.
class swarm_payloads {
public:
    explicit swarm_payloads(std::size_t size) : size_(size) {}  // zero: there are none

    bool any() const { return size_ > 0; }
    session::task_ending ending_of(std::uint64_t agent, session::task_name task);
    agent_protocol::PayloadPart part_of(
        std::uint64_t agent, const agent_protocol::PayloadWanted& payload_wanted);

private:
    static constexpr std::size_t recent_max = 32;

    struct output {
        std::uint64_t agent = 0;
        session::task_name task;
        std::string digest;
        std::size_t size = 0;
        std::string packed;
    };

    const output& find(std::uint64_t agent, session::task_name task);

    std::size_t size_;
    std::deque<output> recent_;
};

}  // namespace muster::swarm
