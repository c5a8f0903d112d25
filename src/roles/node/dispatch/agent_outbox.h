#pragma once

#include "core/model/system.h"
#include "roles/node/dispatch/connection_sender.h"

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <agent_protocol.pb.h>
#include <algorithm>
#include <utility>
#include <vector>

namespace muster::dispatch {

// Collects frames for attached agents until flush(). The connections are on other event loops, and
// waking these for each frame would cost more than the frame. Not thread-safe; call from one
// strand.
class agent_outbox {
public:
    // flush() uses the sender; connections may have ended by then.
    explicit agent_outbox(connection_sender& sender) : sender_(sender) {}

    void attach(system_number system, connection_id connection) { channels_[system] = connection; }
    // False: the system is attached over another connection, or not at all.
    bool detach(system_number system, connection_id connection) {
        const auto it = channels_.find(system);
        if (it == channels_.end() || it->second != connection) return false;
        channels_.erase(it);
        return true;
    }
    // Returns the systems that were attached, sorted.
    std::vector<system_number> detach_all() {
        std::vector<system_number> systems;
        for (const auto& channel : std::exchange(channels_, {})) systems.push_back(channel.first);
        std::ranges::sort(systems);
        return systems;
    }

    // Drops frames for systems that are not attached: they get what they need when they attach.
    void add(system_number system, muster::agent_protocol::Frame frame) {
        const auto it = channels_.find(system);
        if (it == channels_.end()) return;
        frames_.push_back({.to = it->second, .frame = std::move(frame)});
    }
    void flush() {
        if (!frames_.empty()) sender_.send(std::exchange(frames_, {}));
    }

private:
    struct number_hash {
        std::size_t operator()(system_number number) const {
            return boost::hash<std::int64_t>()(number.value());
        }
    };

    connection_sender& sender_;
    boost::unordered_flat_map<system_number, connection_id, number_hash> channels_;
    std::vector<outgoing> frames_;
};

}  // namespace muster::dispatch
