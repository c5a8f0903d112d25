#pragma once

#include "adapters/channel/task_frames.h"
#include "apps/swarm/crowd/tally.h"
#include "core/session/agent_tasks.h"

#include <memory>
#include <string>
#include <vector>

namespace muster::swarm {

// The tasks of one agent of a swarm: the real agent's machine without a disk. Every function
// succeeds at once. Costs nothing until the first task comes.
class swarm_tasks {
public:
    using moment = session::agent_tasks::moment;

    explicit swarm_tasks(tally& counted) : counted_(counted) {}

    // What is to be sent is appended to `out`.
    void attached(std::string& out, moment at);
    void channel_lost();
    // Whether the frame is about tasks.
    bool take(const channel::Frame& frame, moment at);
    // All tasks of one read are answered by one frame.
    void read_done(std::string& out, moment at);

private:
    void perform(session::task_effects what, moment at);
    void flush(std::string& out);

    tally& counted_;
    std::unique_ptr<session::agent_tasks> machine_;
    std::vector<session::agent_tasks::arrival> arrivals_;
    session::send_held held_;
    bool running_asked_ = false;
    session::send_reports reports_;
};

}  // namespace muster::swarm
