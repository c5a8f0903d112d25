#pragma once

#include "core/model/system.h"

#include <agent_protocol.pb.h>

namespace muster::dispatch {

// Sends frames to systems, over whichever channel each has.
class agent_sender {
public:
    virtual ~agent_sender() = default;

    // False: the system has no channel here. From any thread.
    virtual bool send(system_number to, muster::agent_protocol::Frame frame) = 0;
};

}  // namespace muster::dispatch
