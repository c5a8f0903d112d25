#pragma once

#include "adapters/agent_protocol/task_frames.h"
#include "apps/swarm/agents/swarm_counters.h"
#include "apps/swarm/agents/swarm_payloads.h"
#include "core/session/agent_tasks.h"
#include "runtime/effect_driver.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster::swarm {

// The tasks of one swarm agent: the agent's state machine without a disk. Every function succeeds
// at once. Allocates nothing before the first task. Not thread-safe.
class swarm_tasks {
public:
    using moment = session::agent_tasks::moment;

    // Source of outputs that do not fit into a report, and the agent they belong to.
    struct payload_source {
        swarm_payloads* payloads = nullptr;
        std::uint64_t agent = 0;
    };

    explicit swarm_tasks(swarm_counters& counters) : counters_(counters) {}
    swarm_tasks(swarm_counters& counters, payload_source source)
        : counters_(counters), payloads_(source) {}

    // Appends frames to send to `out`.
    void attached(std::string& out, moment time);
    void channel_lost();
    // Returns true if the frame is about tasks.
    bool handle(const agent_protocol::Frame& frame, moment time);
    // Answers all tasks of one read with one frame.
    void read_done(std::string& out, moment time);

private:
    using driver = runtime::effect_driver<session::agent_tasks, swarm_tasks>;
    friend driver;

    void perform(const session::store_tasks& /*effect*/) {}
    void perform(const session::run_task& effect);
    void perform(const session::continue_chain& /*effect*/) {}
    void perform(const session::end_task& /*effect*/) {}
    void perform(const session::send_held_tasks& effect);
    void perform(const session::send_reports& effect);
    void perform(const session::discard_payload& /*effect*/) {}
    void settled() {}
    moment now() const { return now_; }

    driver& machine();
    bool has_payloads() const {
        return payloads_.payloads != nullptr && payloads_.payloads->enabled();
    }
    session::task_result build_result(const session::task_request& order);
    void flush(std::string& out);

    swarm_counters& counters_;
    payload_source payloads_;
    std::vector<agent_protocol::PayloadPart> parts_;
    std::unique_ptr<driver> machine_;
    moment now_{};  // time of the current call
    std::vector<session::agent_tasks::received_task> arrivals_;
    session::send_held_tasks held_;
    bool running_requested_ = false;
    session::send_reports reports_;
};

}  // namespace muster::swarm
