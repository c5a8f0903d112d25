#pragma once

#include "adapters/net/watchdog.h"
#include "base/prng.h"
#include "core/access/rate_limiter.h"
#include "core/model/network.h"
#include "core/session/attach_rate_limiter.h"
#include "roles/node/connections/agent_connection.h"
#include "roles/node/connections/agent_connection_counters.h"
#include "roles/node/connections/facts_writer.h"
#include "roles/node/connections/system_locator.h"
#include "roles/node/dispatch/task_inbox.h"
#include "roles/node/dispatch/task_observers.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace muster::node {

struct channel_options {
    session::node_terms terms = {};
    session::pauses waits = {};
    session::attach_rate_limiter::options gate = {};
    // So often systems that nobody knows may say hello from one address; after that nobody may
    // from there. Else one machine could keep the gate closed to all.
    access::rate strangers{.interval = std::chrono::milliseconds(50), .burst = 200};
    // Addresses that stand for many systems: strangers are not counted there.
    std::vector<network> proxies = {};
    std::size_t attached_max = 18'500;  // below the usual limit of 20,000 descriptors
    // So many are let go in one sweep of one event loop: those whose slots moved away, and those
    // that were to be asked for their facts.
    std::size_t let_go_a_sweep = 200;
    std::size_t looked_at_a_sweep = 300;  // records are compared again, some at a time
    monotonic::duration sweep_interval = std::chrono::seconds(1);
    // Agents of a node that stops come back to it spread over this span.
    monotonic::duration stop_spread = std::chrono::seconds(5);
    monotonic::duration farewell_time = std::chrono::seconds(2);  // to send the last frame
};

// What all event loops share. Thread-safe.
struct shared_connection_state {
    const channel_options& how;
    const system_locator& known;
    presence::attached_agents& attached;
    facts_writer& facts;
    dispatch::task_inbox& tasks;
    dispatch::task_observers& watching;
    agent_connection_counters& counted;
    // Nothing: come in; otherwise so long the agent has to wait.
    std::function<std::optional<monotonic::duration>(const boost::asio::ip::address&)> enter;
    // Who entered from there is no stranger.
    std::function<void(const boost::asio::ip::address&)> recognised;
    // The channel that held the system before must end; it may be on another loop.
    std::function<void(presence::attached_agents::channel)> replace;
};

// The channels of one event loop. Everything happens on that loop.
class agent_connection_loop {
public:
    agent_connection_loop(
        boost::asio::any_io_executor executor, std::size_t index, shared_connection_state all)
        : executor_(std::move(executor)), index_(index), all_(std::move(all)), random_(index + 1) {}
    agent_connection_loop(const agent_connection_loop&) = delete;
    agent_connection_loop& operator=(const agent_connection_loop&) = delete;

    const boost::asio::any_io_executor& executor() const { return executor_; }
    std::size_t index() const { return index_; }
    const shared_connection_state& all() const { return all_; }
    net::watchdog& deadlines() { return deadlines_; }
    prng& random() { return random_; }
    // Used within one step of one channel; nothing stays in it across a wait.
    std::array<char, 16384>& received() { return received_; }

    std::uint64_t enter(agent_connection& agent_connection);
    void leave(std::uint64_t number);
    agent_connection* find(std::uint64_t number) const;
    // It has facts that there was no room for; it is asked for them later.
    void owes_facts(std::uint64_t number) { owing_.insert(number); }

    void let_go_of_all(const session::refusal& why);

    // Ends silent channels, lets go of those that belong elsewhere by now, looks at some anew.
    void sweep(instant now);

private:
    void let_go_of_the_moved();
    void look_again();
    void ask_for_owed_facts();

    boost::asio::any_io_executor executor_;
    std::size_t index_;
    shared_connection_state all_;
    net::watchdog deadlines_;
    prng random_;
    std::array<char, 16384> received_{};
    boost::unordered_flat_map<std::uint64_t, agent_connection*> channels_;
    // The same, in the order in which they are looked at anew.
    boost::intrusive::list<agent_connection, boost::intrusive::constant_time_size<false>> in_turn_;
    std::set<std::uint64_t> owing_;
    std::uint64_t last_number_ = 0;
    std::shared_ptr<const cluster::topology> swept_for_;  // everybody belongs here by this one
};

}  // namespace muster::node
