#pragma once

#include "adapters/net/http/service.h"
#include "roles/node/connections/agent_connection_counters.h"
#include "roles/node/connections/agent_connection_loops.h"
#include "roles/node/connections/attach_gate.h"
#include "roles/node/connections/facts_channels.h"
#include "roles/node/connections/facts_writer.h"
#include "roles/node/connections/system_locator.h"
#include "roles/node/dispatch/agent_sender.h"
#include "roles/node/dispatch/channel_sender.h"
#include "roles/node/dispatch/task_inbox.h"
#include "roles/node/dispatch/task_observers.h"
#include "runtime/async_event.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "services/fleet/system_cache.h"
#include "services/presence/attached_agents.h"

#include <boost/asio/awaitable.hpp>

#include <span>
#include <vector>

namespace muster::node {

// The node's side of all channels: takes agents in, keeps them, and lets go of those that belong
// elsewhere. Each channel lives on the event loop of its connection; a beat touches nothing that
// loops share.
//
// Outlives the HTTP server whose channels it serves; run() ends before it.
class agent_connection_server final : public dispatch::channel_sender,
                                      public dispatch::agent_sender,
                                      private facts_channels {
public:
    struct dependencies {
        system_locator::dependencies known;
        muster::ledger& ledger;
        dispatch::task_inbox& tasks;
        runtime::logger& log;
        runtime::metrics& metrics;
    };
    struct options {
        system_locator::identity own;
        channel_options channels = {};
        facts_writer::options facts = {};
    };

    agent_connection_server(dependencies deps, options options);
    agent_connection_server(const agent_connection_server&) = delete;
    agent_connection_server& operator=(const agent_connection_server&) = delete;
    ~agent_connection_server() override = default;

    // For net::http::service::channels.
    net::http::channel_handler handler();

    // For fleet::system_cache::watch(): systems that must leave their node are let go at once.
    void heard_of(std::span<const fleet::change> changes);

    // Ends all channels; the agents ask the cluster where they belong. From any thread.
    void let_go_of_all();

    void send(std::vector<dispatch::outgoing> frames) override;
    bool send(system_number to, muster::agent_protocol::Frame frame) override;

    // Each until it is cancelled.
    boost::asio::awaitable<void> run();
    boost::asio::awaitable<void> keep_facts() { return facts_.run(); }

    presence::attached_agents& attached() { return attached_; }
    dispatch::task_observers& observers() { return observers_; }
    const agent_connection_counters& counters() const { return counted_; }

private:
    boost::asio::awaitable<void> serve(net::http::channel channel);
    shared_connection_state shared();
    bool holds(channel_id channel, const fingerprint& print) override;
    bool fenced() override;
    void answer(channel_id channel, const std::string& digest) override;
    void release(const fingerprint& print, system_number number);
    void export_metrics(runtime::metrics& to);

    dependencies deps_;
    options options_;
    system_locator known_;
    presence::attached_agents attached_;
    agent_connection_counters counted_;
    facts_writer facts_;
    attach_gate gate_;
    dispatch::task_observers observers_;
    agent_connection_loops loops_;
};

}  // namespace muster::node
