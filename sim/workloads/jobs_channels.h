#pragma once

#include "adapters/agent_protocol/frame_codec.h"
#include "core/session/node_session.h"
#include "roles/node/connections/system_locator.h"
#include "roles/node/dispatch/connection_sender.h"
#include "roles/node/dispatch/task_inbox.h"
#include "sim/workloads/jobs_invariants.h"
#include "sim/workloads/streams.h"

#include <map>
#include <string_view>
#include <vector>

namespace muster::sim {

// The node side of its agent channels, in one life of the node: product sessions and attach
// decisions over simulated links instead of TLS connections.
class jobs_channels final : public dispatch::connection_sender {
public:
    // early_acknowledgement: acknowledges reports before they are processed.
    enum class injected_bug { none, early_acknowledgement };
    struct dependencies {
        sim::cluster& cluster;
        process& host;
        const node::system_locator& locator;
        dispatch::task_inbox& tasks;
        const std::vector<job_kind>& kinds;
        jobs_invariants& invariants;
    };

    jobs_channels(dependencies deps, injected_bug injected_bug);

    void send(std::vector<dispatch::outgoing> frames) override;

private:
    struct channel {
        session::node_session session;
        muster::agent_protocol::frame_reader frames;
        fingerprint print;
        system_number system;
        bool was_attached = false;
    };
    using channel_map = std::map<streams::id, channel>;

    void check_channels_later();
    void received(streams::id id, std::string_view bytes);
    void handle_frame(streams::id id, const muster::agent_protocol::Frame& frame);
    void handle_hello(streams::id id, const muster::agent_protocol::Hello& hello);
    void handle_task_frame(streams::id id, const muster::agent_protocol::Frame& frame);
    void acknowledge_at_once(streams::id id, const muster::agent_protocol::Frame& frame);
    void push_to_inbox(streams::id id, const muster::agent_protocol::Frame& frame);
    void detach_channel(streams::id id, session::refusal refusal);
    void execute(streams::id id, const session::node_effects& node_effects);
    void on_disconnected(streams::id id);
    void record_grant(const channel& channel, const muster::agent_protocol::Task& task);
    void write(streams::id id, const muster::agent_protocol::Frame& frame);
    instant now() const { return deps_.host.clock().now(); }

    dependencies deps_;
    injected_bug injected_bug_;
    streams links_;
    channel_map channels_;
    std::map<system_number, streams::id> holders_;
};

}  // namespace muster::sim
