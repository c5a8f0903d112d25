#pragma once

#include "core/model/system.h"
#include "roles/node/dispatch/channel_sender.h"

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <agent_protocol.pb.h>
#include <algorithm>
#include <utility>
#include <vector>

namespace muster::dispatch {

// Frames to the agents that are attached and told what they hold. Frames are gathered until
// flush(): the channels live on other event loops, and waking those up for each frame would cost
// more than the frame. Not thread-safe; call from one strand.
class agent_outbox {
public:
    // The sender is used by flush(), over channels that may be gone by then.
    explicit agent_outbox(channel_sender& sender) : sender_(sender) {}

    void attach(system_number system, channel_id over) { channels_[system] = over; }
    // False: the system is attached over another channel by now, or not at all.
    bool detach(system_number system, channel_id over) {
        const auto it = channels_.find(system);
        if (it == channels_.end() || it->second != over) return false;
        channels_.erase(it);
        return true;
    }
    // The systems that were attached, in order.
    std::vector<system_number> detach_all() {
        std::vector<system_number> systems;
        for (const auto& channel : std::exchange(channels_, {})) systems.push_back(channel.first);
        std::ranges::sort(systems);
        return systems;
    }

    // Nothing is sent to a system that is not attached: it hears what it needs when it comes back.
    void add(system_number to, muster::agent_protocol::Frame frame) {
        const auto it = channels_.find(to);
        if (it == channels_.end()) return;
        frames_.push_back({.to = it->second, .frame = std::move(frame)});
    }
    void flush() {
        if (!frames_.empty()) sender_.send(std::exchange(frames_, {}));
    }

private:
    struct number_hash {
        std::size_t operator()(system_number of) const {
            return boost::hash<std::int64_t>()(of.value());
        }
    };

    channel_sender& sender_;
    boost::unordered_flat_map<system_number, channel_id, number_hash> channels_;
    std::vector<outgoing> frames_;
};

}  // namespace muster::dispatch
