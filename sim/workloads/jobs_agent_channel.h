#pragma once

#include "adapters/agent_protocol/frame_codec.h"
#include "core/model/fingerprint.h"
#include "core/session/agent_session.h"
#include "sim/workloads/streams.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::sim {

// The agent's end of its channel, in one life of it: finds its node by asking servers, holds the
// channel with the product's own session, and begins anew when it breaks.
class agent_channel {
public:
    struct callbacks {
        std::function<void()> attached;
        std::function<void()> lost;
        std::function<void(const muster::agent_protocol::Frame&)> took;  // about tasks
    };
    struct options {
        fingerprint print;
        std::vector<std::string> servers;
    };

    agent_channel(cluster& stage, process& host, options options, callbacks callbacks);

    void start() { connect(); }
    void send(const muster::agent_protocol::Frame& frame);
    // The link is gone, and nobody on it was told.
    void cut();

private:
    using effects = session::agent_session_effects;

    void connect();
    void connect_later(monotonic::duration pause);
    void keep_time();
    void received(std::string_view bytes);
    void take(const muster::agent_protocol::Frame& frame);
    void perform(const effects& effects);
    void perform_one(const session::send_hello& send_hello);
    void perform_one(const session::send_heartbeat& send_heartbeat);
    void perform_one(const session::node_fenced& node_fenced);
    void perform_one(const session::channel_over& channel_over);
    instant now() const { return host_.clock().now(); }

    cluster& stage_;
    process& host_;
    options options_;
    callbacks told_;
    streams links_;
    streams::id link_ = 0;
    std::optional<session::agent_session> session_;
    muster::agent_protocol::frame_reader frames_;
    std::string next_server_;  // empty: any
    prng& random_;
};

}  // namespace muster::sim
