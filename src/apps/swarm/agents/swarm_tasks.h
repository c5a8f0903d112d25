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

// The tasks of one agent of a swarm: the real agent's machine without a disk. Every function
// succeeds at once. Costs nothing until the first task comes.
class swarm_tasks {
public:
    using moment = session::agent_tasks::moment;

    // Where outputs come from that do not fit into a report, and whose they are.
    struct outputs {
        swarm_payloads* made = nullptr;
        std::uint64_t agent = 0;
    };

    explicit swarm_tasks(swarm_counters& counted) : counted_(counted) {}
    swarm_tasks(swarm_counters& counted, outputs from) : counted_(counted), outputs_(from) {}

    // What is to be sent is appended to `out`.
    void attached(std::string& out, moment at);
    void channel_lost();
    // Whether the frame is about tasks.
    bool take(const agent_protocol::Frame& frame, moment at);
    // All tasks of one read are answered by one frame.
    void read_done(std::string& out, moment at);

private:
    using driver = runtime::effect_driver<session::agent_tasks, swarm_tasks>;
    friend driver;

    void perform(const session::store_tasks& /*effect*/) {}
    void perform(const session::run_task& effect);
    void perform(const session::continue_chain& /*effect*/) {}
    void perform(const session::end_task& /*effect*/) {}
    void perform(const session::send_held& effect);
    void perform(const session::send_reports& effect);
    void perform(const session::drop_payload& /*effect*/) {}
    void settled() {}
    moment now() const { return at_; }

    driver& machine();
    bool has_outputs() const { return outputs_.made != nullptr && outputs_.made->any(); }
    session::task_ending ending_of(const session::task_order& order);
    void flush(std::string& out);

    swarm_counters& counted_;
    outputs outputs_;
    std::vector<agent_protocol::PayloadPart> parts_;
    std::unique_ptr<driver> machine_;
    moment at_{};  // of what is being handled
    std::vector<session::agent_tasks::arrival> arrivals_;
    session::send_held held_;
    bool running_asked_ = false;
    session::send_reports reports_;
};

}  // namespace muster::swarm
