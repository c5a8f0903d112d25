#pragma once

#include "roles/node/dispatch/agent_sender.h"
#include "roles/node/dispatch/output_relay.h"
#include "roles/node/dispatch/running_task_query.h"

#include <agent_protocol.pb.h>
#include <utility>

namespace muster::dispatch {

// Serves users who observe running tasks: live output and task lists. Agent connections feed it
// beside the dispatcher's inbox, so its failures do not affect tasks. Thread-safe.
class task_observers {
public:
    task_observers(muster::clock& clock, agent_sender& sender)
        : sender_(sender), output_(clock, sender), task_query_(clock, sender) {}
    task_observers(const task_observers&) = delete;
    task_observers& operator=(const task_observers&) = delete;

    // Whether the frame was for observers only.
    bool on_frame(system_number system, const muster::agent_protocol::Frame& frame) {
        output_.on_frame(system, frame);
        task_query_.on_frame(system, frame);
        return frame.has_output() || frame.has_running();
    }

    output_relay& output() { return output_; }
    running_task_query& task_query() { return task_query_; }
    // False: the system has no connection here.
    bool send(system_number system, muster::agent_protocol::Frame frame) {
        return sender_.send(system, std::move(frame));
    }

private:
    agent_sender& sender_;
    output_relay output_;
    running_task_query task_query_;
};

}  // namespace muster::dispatch
