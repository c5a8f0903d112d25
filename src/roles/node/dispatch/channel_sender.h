#pragma once

#include "roles/node/dispatch/task_inbox.h"

#include <agent_protocol.pb.h>
#include <vector>

namespace muster::dispatch {

struct outgoing {
    channel_id to;
    muster::agent_protocol::Frame frame;
};

// Sends frames over agents' channels. Channels that have ended meanwhile are skipped.
class channel_sender {
public:
    virtual ~channel_sender() = default;

    // From any thread.
    virtual void send(std::vector<outgoing> frames) = 0;
};

}  // namespace muster::dispatch
