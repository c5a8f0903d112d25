#pragma once

#include "adapters/net/http/service.h"
#include "roles/node/connections/agent_connection_counters.h"
#include "roles/node/connections/agent_connection_loops.h"
#include "roles/node/connections/attach_gate.h"
#include "roles/node/connections/facts_connections.h"
#include "roles/node/connections/facts_writer.h"
#include "roles/node/connections/system_locator.h"
#include "roles/node/dispatch/agent_sender.h"
#include "roles/node/dispatch/connection_sender.h"
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

// Serves the connections of all agents of the node: attaches agents and closes connections that
// belong to another node. Each connection stays on its event loop; a heartbeat touches no state
// shared by loops. Thread-safe, except run().
//
// Outlives the HTTP server whose connections it serves; run() ends before it.
class agent_connection_server final : public dispatch::connection_sender,
                                      public dispatch::agent_sender,
                                      private facts_connections {
public:
    struct dependencies {
        system_locator::dependencies locator;
        muster::ledger& ledger;
        dispatch::task_inbox& tasks;
        runtime::logger& log;
        runtime::metrics& metrics;
    };
    struct options {
        system_locator::identity own;
        connection_options channels = {};
        facts_writer::options facts = {};
    };

    agent_connection_server(dependencies deps, options options);
    agent_connection_server(const agent_connection_server&) = delete;
    agent_connection_server& operator=(const agent_connection_server&) = delete;
    ~agent_connection_server() override = default;

    // For net::http::service::channels.
    net::http::channel_handler handler();

    // For fleet::system_cache::watch(): closes connections of systems that must leave their node.
    void on_systems_changed(std::span<const fleet::change> changes);

    // Closes all connections; the agents then request their placement. From any thread.
    void close_all();

    void send(std::vector<dispatch::outgoing> frames) override;
    bool send(system_number system, muster::agent_protocol::Frame frame) override;

    // Each runs until cancelled.
    boost::asio::awaitable<void> run();
    boost::asio::awaitable<void> write_facts() { return facts_.run(); }

    presence::attached_agents& attached() { return attached_; }
    dispatch::task_observers& observers() { return observers_; }
    const agent_connection_counters& counters() const { return counters_; }

private:
    boost::asio::awaitable<void> serve(net::http::channel channel);
    shared_connection_state shared();
    bool is_current(connection_id channel, const fingerprint& print) override;
    bool is_fenced() override;
    void respond(connection_id channel, const std::string& digest) override;
    void release(const fingerprint& print, system_number number);
    void export_metrics(runtime::metrics& metrics);

    dependencies deps_;
    options options_;
    system_locator locator_;
    presence::attached_agents attached_;
    agent_connection_counters counters_;
    facts_writer facts_;
    attach_gate limiter_;
    dispatch::task_observers observers_;
    agent_connection_loops loops_;
};

}  // namespace muster::node
