#pragma once

#include "core/model/fingerprint.h"
#include "services/presence/attached_agents.h"

#include <string>

namespace muster::node {

// The agent connections, as the facts_writer uses them.
class facts_connections {
public:
    using connection_id = presence::attached_agents::connection;

    virtual ~facts_connections() = default;

    // Whether this is still the connection of the system. An agent that moved has sent its facts to
    // its new node.
    virtual bool is_current(connection_id channel, const fingerprint& print) = 0;
    // Whether this node must not act (its lease is not certain).
    virtual bool is_fenced() = 0;
    // Tells the agent that the facts with this digest are stored, or requests all facts (empty).
    virtual void respond(connection_id channel, const std::string& digest) = 0;
};

}  // namespace muster::node
