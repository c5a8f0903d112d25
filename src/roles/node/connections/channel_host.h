#pragma once

#include "adapters/net/http/service.h"
#include "core/session/attach_gate.h"
#include "roles/node/dispatch/dispatcher.h"
#include "services/fleet/fleet.h"
#include "roles/node/connections/channel_counters.h"
#include "roles/node/connections/channel_loop.h"
#include "roles/node/connections/facts_keeper.h"
#include "roles/node/connections/whereabouts.h"
#include "services/presence/attendance.h"
#include "runtime/bell.h"
#include "runtime/log.h"
#include "runtime/metrics.h"

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
class channel_host {
public:
    struct surroundings {
        whereabouts::surroundings known;
        ledger& records;
        dispatch::task_inbox& tasks;
        dispatch::onlookers& watching;
        runtime::logger& log;
        runtime::metrics& counted;
    };
    struct options {
        whereabouts::identity own;
        channel_options channels = {};
        facts_keeper::options facts = {};
    };

    channel_host(surroundings around, options how);
    channel_host(const channel_host&) = delete;
    channel_host& operator=(const channel_host&) = delete;
    ~channel_host() = default;

    // For net::http::service::channels.
    net::http::channel_handler handler();

    // For fleet::fleet::watch(): systems that must leave their node are let go at once.
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

    presence::attendance& attached() { return attached_; }
    const channel_counters& counters() const { return counted_; }

private:
    boost::asio::awaitable<void> serve(net::http::channel given);
    std::shared_ptr<channel_loop> loop_of(const boost::asio::any_io_executor& executor);
    std::vector<std::shared_ptr<channel_loop>> loops() const;
    std::shared_ptr<channel_loop> loop_at(std::size_t index) const;
    std::optional<monotonic::duration> enter(const boost::asio::ip::address& from);
    void recognised(const boost::asio::ip::address& from);
    bool stands_for_many(const boost::asio::ip::address& from) const;
    void let_go(presence::attendance::channel which, session::refusal why);
    void answer_facts(presence::attendance::channel which, const std::string& digest);
    void release(const fingerprint& print, system_number number);
    void export_metrics(runtime::metrics& to);

    surroundings around_;
    options how_;
    whereabouts known_;
    presence::attendance attached_;
    channel_counters counted_;
    facts_keeper facts_;
    std::mutex gate_guard_;
    session::attach_gate gate_;
    access::rate_limiter strangers_;
    mutable std::mutex guard_;
    std::vector<std::shared_ptr<channel_loop>> loops_;
};

}  // namespace muster::node
