#pragma once

#include "core/session/node_session.h"

#include <agent_protocol.pb.h>
#include <string>

namespace muster::node {

// Frames that the node sends to an agent.
muster::agent_protocol::Frame welcome_frame(
    const session::welcome& welcome,
    const session::node_session_options& terms,
    const std::string& node);
muster::agent_protocol::Frame refusal_frame(const session::refusal& refusal);
muster::agent_protocol::Frame goodbye_frame(const session::refusal& refusal);
muster::agent_protocol::Frame beat_frame(const session::send_heartbeat_reply& send_beat);
muster::agent_protocol::Frame facts_taken_frame(const std::string& digest);
muster::agent_protocol::Frame facts_wanted_frame();

}  // namespace muster::node
