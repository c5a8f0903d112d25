#pragma once

#include "adapters/agent_protocol/frame_codec.h"

namespace muster::agent {

// Sends frames to the node while the agent is connected. Frames sent after a disconnect are lost.
class node_sender {
public:
    node_sender() = default;
    node_sender(const node_sender&) = delete;
    node_sender& operator=(const node_sender&) = delete;
    virtual ~node_sender() = default;

    virtual void send(const agent_protocol::Frame& frame) = 0;
    // Sent after all normal frames. False if the queue of bulk frames is full.
    virtual bool send_bulk(const agent_protocol::Frame& frame) = 0;
    // Sent after bulk frames. False if the queue of output frames is full.
    virtual bool send_output(const agent_protocol::Frame& frame) = 0;
};

}  // namespace muster::agent
