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

// The agent side of its channel, in one life: finds its node by asking servers, runs the product
// session, and reconnects when the channel breaks.
class agent_channel {
public:
    struct callbacks {
        std::function<void()> attached;
        std::function<void()> lost;
        std::function<void(const muster::agent_protocol::Frame&)> task_frame;  // about tasks
    };
    struct options {
        fingerprint print;
        std::vector<std::string> servers;
    };

    agent_channel(sim::cluster& cluster, process& host, options options, callbacks callbacks);

    void start() { connect(); }
    void send(const muster::agent_protocol::Frame& frame);
    // Drops the link without notifying the node.
    void cut();

private:
    using effects = session::agent_session_effects;

    void connect();
    void connect_later(monotonic::duration pause);
    void expire_later();
    void received(std::string_view bytes);
    void handle_frame(const muster::agent_protocol::Frame& frame);
    void execute(const effects& effects);
    void execute_effect(const session::send_hello& send_hello);
    void execute_effect(const session::send_heartbeat& send_heartbeat);
    void execute_effect(const session::node_fenced& node_fenced);
    void execute_effect(const session::disconnect& disconnect);
    instant now() const { return host_.clock().now(); }

    cluster& cluster_;
    process& host_;
    options options_;
    callbacks callbacks_;
    streams links_;
    streams::id link_ = 0;
    std::optional<session::agent_session> session_;
    muster::agent_protocol::frame_reader frames_;
    std::string next_server_;  // empty: any
    prng& random_;
};

}  // namespace muster::sim
