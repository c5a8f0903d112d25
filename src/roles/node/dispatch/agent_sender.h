#pragma once

#include "core/model/system.h"

#include <agent_protocol.pb.h>

namespace muster::dispatch {

// Sends frames to systems over their current connections. Thread-safe.
class agent_sender {
public:
    virtual ~agent_sender() = default;

    // False: the system has no connection here.
    virtual bool send(system_number system, muster::agent_protocol::Frame frame) = 0;
};

}  // namespace muster::dispatch
