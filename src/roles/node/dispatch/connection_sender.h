#pragma once

#include "roles/node/dispatch/task_inbox.h"

#include <agent_protocol.pb.h>
#include <vector>

namespace muster::dispatch {

struct outgoing {
    connection_id to;
    muster::agent_protocol::Frame frame;
};

// Sends frames over agent connections; skips ended connections. Thread-safe.
class connection_sender {
public:
    virtual ~connection_sender() = default;

    virtual void send(std::vector<outgoing> frames) = 0;
};

}  // namespace muster::dispatch
