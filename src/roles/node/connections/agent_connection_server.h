#pragma once

#include "adapters/net/http/service.h"
#include "core/session/attach_rate_limiter.h"
#include "roles/node/connections/agent_connection_counters.h"
#include "roles/node/connections/agent_connection_loop.h"
#include "roles/node/connections/facts_writer.h"
#include "roles/node/connections/system_locator.h"
#include "roles/node/dispatch/dispatcher.h"
#include "runtime/async_event.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "services/fleet/system_cache.h"
#include "services/presence/attached_agents.h"

#include <boost/asio/any_io_executor.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

namespace muster::node {

// The node's side of all channels: takes agents in, keeps them, and lets go of those that belong
// elsewhere. Each channel lives on the event loop of its connection; a beat touches nothing that
// loops share.
//
// Outlives the HTTP server whose channels it serves; run() ends before it.
class agent_connection_server {
public:
    struct dependencies {
        system_locator::dependencies known;
        ledger& records;
        dispatch::task_inbox& tasks;
        dispatch::task_observers& watching;
        runtime::logger& log;
        runtime::metrics& counted;
    };
    struct options {
        system_locator::identity own;
        channel_options channels = {};
        facts_writer::options facts = {};
    };

    agent_connection_server(dependencies deps, options options);
    agent_connection_server(const agent_connection_server&) = delete;
    agent_connection_server& operator=(const agent_connection_server&) = delete;
    ~agent_connection_server() = default;

    // For net::http::service::channels.
    net::http::channel_handler handler();

    // For fleet::system_cache::watch(): systems that must leave their node are let go at once.
    void heard_of(std::span<const fleet::change> changes);

    // Ends all channels; the agents ask the cluster where they belong. From any thread.
    void let_go_of_all();

    // What the dispatcher has to say to agents. From any thread.
    void send(std::vector<dispatch::outgoing> frames);
    // The same for one system; false when it has no channel here.
    bool send(system_number to, muster::agent_protocol::Frame frame);

    // Each until it is cancelled.
    boost::asio::awaitable<void> run();
    boost::asio::awaitable<void> keep_facts() { return facts_.run(); }

    presence::attached_agents& attached() { return attached_; }
    const agent_connection_counters& counters() const { return counted_; }

private:
    boost::asio::awaitable<void> serve(net::http::channel channel);
    std::shared_ptr<agent_connection_loop> loop_of(const boost::asio::any_io_executor& executor);
    std::vector<std::shared_ptr<agent_connection_loop>> loops() const;
    std::shared_ptr<agent_connection_loop> loop_at(std::size_t index) const;
    std::optional<monotonic::duration> enter(const boost::asio::ip::address& from);
    void recognised(const boost::asio::ip::address& from);
    bool stands_for_many(const boost::asio::ip::address& from) const;
    void let_go(presence::attached_agents::channel channel, session::refusal why);
    void answer_facts(presence::attached_agents::channel channel, const std::string& digest);
    void release(const fingerprint& print, system_number number);
    void export_metrics(runtime::metrics& to);

    dependencies deps_;
    options options_;
    system_locator known_;
    presence::attached_agents attached_;
    agent_connection_counters counted_;
    facts_writer facts_;
    std::mutex gate_guard_;
    session::attach_rate_limiter gate_;
    access::rate_limiter strangers_;
    mutable std::mutex guard_;
    std::vector<std::shared_ptr<agent_connection_loop>> loops_;
};

}  // namespace muster::node
