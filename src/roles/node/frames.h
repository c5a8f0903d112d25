#pragma once

#include "core/session/node_session.h"

#include <channel.pb.h>
#include <string>

namespace muster::node {

// What the node's side of a channel says, as frames.
muster::channel::Frame welcome_frame(
    const session::welcome& what, const session::node_terms& terms, const std::string& node);
muster::channel::Frame refusal_frame(const session::refusal& what);
muster::channel::Frame goodbye_frame(const session::refusal& what);
muster::channel::Frame beat_frame(const session::send_beat& what);
muster::channel::Frame facts_taken_frame(const std::string& digest);
muster::channel::Frame facts_wanted_frame();

}  // namespace muster::node
