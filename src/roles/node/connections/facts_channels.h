#pragma once

#include "core/model/fingerprint.h"
#include "services/presence/attached_agents.h"

#include <string>

namespace muster::node {

// The channels over which agents send facts, as the facts_writer sees them.
class facts_channels {
public:
    using channel_id = presence::attached_agents::channel;

    virtual ~facts_channels() = default;

    // Whether this channel is still the one of the system. An agent that is elsewhere by now has
    // told its facts there.
    virtual bool holds(channel_id channel, const fingerprint& print) = 0;
    // Whether this node may not act.
    virtual bool fenced() = 0;
    // Tells the agent: its facts of this digest are on record, or (empty) that all are wanted.
    virtual void answer(channel_id channel, const std::string& digest) = 0;
};

}  // namespace muster::node
