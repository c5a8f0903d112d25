#pragma once

#include "adapters/agent_protocol/frame_codec.h"

namespace muster::agent {

// The way to the node while a channel stands. What is sent after its end is lost.
class node_sender {
public:
    node_sender() = default;
    node_sender(const node_sender&) = delete;
    node_sender& operator=(const node_sender&) = delete;
    virtual ~node_sender() = default;

    virtual void send(const agent_protocol::Frame& frame) = 0;
    // After everything else. False: too much of this kind waits already.
    virtual bool send_bulk(const agent_protocol::Frame& frame) = 0;
    // After that, too. False: too much of this kind waits already.
    virtual bool send_output(const agent_protocol::Frame& frame) = 0;
};

}  // namespace muster::agent
