#pragma once

#include "adapters/channel/task_frames.h"
#include "apps/swarm/crowd/swarm_payloads.h"
#include "apps/swarm/crowd/tally.h"
#include "core/session/agent_tasks.h"

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

    explicit swarm_tasks(tally& counted) : counted_(counted) {}
    swarm_tasks(tally& counted, outputs from) : counted_(counted), outputs_(from) {}

    // What is to be sent is appended to `out`.
    void attached(std::string& out, moment at);
    void channel_lost();
    // Whether the frame is about tasks.
    bool take(const channel::Frame& frame, moment at);
    // All tasks of one read are answered by one frame.
    void read_done(std::string& out, moment at);

private:
    void perform(session::task_effects what, moment at);
    bool has_outputs() const { return outputs_.made != nullptr && outputs_.made->any(); }
    session::task_ending ending_of(const session::task_order& order);
    void flush(std::string& out);

    tally& counted_;
    outputs outputs_;
    std::vector<channel::PayloadPart> parts_;
    std::unique_ptr<session::agent_tasks> machine_;
    std::vector<session::agent_tasks::arrival> arrivals_;
    session::send_held held_;
    bool running_asked_ = false;
    session::send_reports reports_;
};

}  // namespace muster::swarm
