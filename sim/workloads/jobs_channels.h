#pragma once

#include "adapters/agent_protocol/frame_codec.h"
#include "core/session/node_session.h"
#include "roles/node/connections/system_locator.h"
#include "roles/node/dispatch/channel_sender.h"
#include "roles/node/dispatch/task_inbox.h"
#include "sim/workloads/jobs_invariants.h"
#include "sim/workloads/streams.h"

#include <map>
#include <string_view>
#include <vector>

namespace muster::sim {

// The node's ends of its agents' channels, in one life of it: the product's own session and
// judgement over simulated links, in place of TLS connections on several event loops.
class jobs_channels final : public dispatch::channel_sender {
public:
    // `hasty` is a planted bug: reports are acknowledged before they are even looked at.
    enum class habit { careful, hasty };
    struct dependencies {
        cluster& stage;
        process& host;
        const node::system_locator& known;
        dispatch::task_inbox& tasks;
        const std::vector<job_kind>& kinds;
        jobs_invariants& rules;
    };

    jobs_channels(dependencies deps, habit habit);

    void send(std::vector<dispatch::outgoing> frames) override;

private:
    struct channel {
        session::node_session session;
        muster::agent_protocol::frame_reader frames;
        fingerprint print;
        system_number system;
        bool present = false;
    };
    using channel_map = std::map<streams::id, channel>;

    void look_after_all();
    void received(streams::id id, std::string_view bytes);
    void take(streams::id id, const muster::agent_protocol::Frame& frame);
    void take_hello(streams::id id, const muster::agent_protocol::Hello& hello);
    void take_of_tasks(streams::id id, const muster::agent_protocol::Frame& frame);
    void acknowledge_at_once(streams::id id, const muster::agent_protocol::Frame& frame);
    void hand_on(streams::id id, const muster::agent_protocol::Frame& frame);
    void let_go(streams::id id, session::refusal why);
    void perform(streams::id id, const session::node_effects& node_effects);
    void hung_up(streams::id id);
    void note_grant(const channel& to, const muster::agent_protocol::Task& task);
    void write(streams::id id, const muster::agent_protocol::Frame& frame);
    instant now() const { return deps_.host.clock().now(); }

    dependencies deps_;
    habit options_;
    streams links_;
    channel_map all_;
    std::map<system_number, streams::id> holders_;
};

}  // namespace muster::sim
