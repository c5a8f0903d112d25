#pragma once

#include "roles/node/dispatch/agent_sender.h"
#include "roles/node/dispatch/output_relay.h"
#include "roles/node/dispatch/running_task_query.h"

#include <agent_protocol.pb.h>
#include <utility>

namespace muster::dispatch {

// Who looks on while agents work. Channels tell this side what agents say, beside the dispatcher's
// inbox: whatever goes wrong here, tasks and reports do not notice. Thread-safe.
class task_observers {
public:
    task_observers(muster::clock& clock, agent_sender& sender)
        : sender_(sender), output_(clock, sender), lists_(clock, sender) {}
    task_observers(const task_observers&) = delete;
    task_observers& operator=(const task_observers&) = delete;

    // Whether this was for onlookers only.
    bool heard(system_number from, const muster::agent_protocol::Frame& frame) {
        output_.heard(from, frame);
        lists_.heard(from, frame);
        return frame.has_output() || frame.has_running();
    }

    output_relay& output() { return output_; }
    running_task_query& lists() { return lists_; }
    // False: the system has no channel here.
    bool send(system_number to, muster::agent_protocol::Frame frame) {
        return sender_.send(to, std::move(frame));
    }

private:
    agent_sender& sender_;
    output_relay output_;
    running_task_query lists_;
};

}  // namespace muster::dispatch
