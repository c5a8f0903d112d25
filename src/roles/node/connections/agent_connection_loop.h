#pragma once

#include "adapters/net/watchdog.h"
#include "base/prng.h"
#include "roles/node/connections/agent_connection.h"
#include "roles/node/connections/agent_connection_counters.h"
#include "roles/node/connections/attach_gate.h"
#include "roles/node/connections/connection_options.h"
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
#include <memory>
#include <mutex>
#include <set>

namespace muster::node {

class agent_connection_loops;

// State shared by all event loops. Thread-safe.
struct shared_connection_state {
    const connection_options& options;
    const system_locator& locator;
    presence::attached_agents& attached;
    facts_writer& facts;
    dispatch::task_inbox& tasks;
    dispatch::task_observers& observers;
    agent_connection_counters& counters;
    attach_gate& limiter;
    agent_connection_loops& loops;
};

// The agent connections of one event loop. Not thread-safe; call from that loop.
class agent_connection_loop {
public:
    agent_connection_loop(
        boost::asio::any_io_executor executor, std::size_t index, shared_connection_state shared)
        : executor_(std::move(executor)), index_(index), shared_(shared), random_(index + 1) {}
    agent_connection_loop(const agent_connection_loop&) = delete;
    agent_connection_loop& operator=(const agent_connection_loop&) = delete;

    const boost::asio::any_io_executor& executor() const { return executor_; }
    std::size_t index() const { return index_; }
    const shared_connection_state& shared() const { return shared_; }
    net::watchdog& deadlines() { return deadlines_; }
    prng& random() { return random_; }
    // Read buffer of one step of one connection; not valid across a wait.
    std::array<char, 16384>& received() { return received_; }

    std::uint64_t add(agent_connection& agent_connection);
    void remove(std::uint64_t number);
    agent_connection* find(std::uint64_t number) const;
    // The facts of this connection did not fit into the queue; they are requested again later.
    void defer_facts(std::uint64_t number) { deferred_facts_.insert(number); }

    void close_all(const session::refusal& reason);

    // Ends silent connections, closes those whose slots moved, and rechecks some against the
    // records.
    void sweep(instant now);

private:
    void close_moved();
    void recheck_some();
    void request_deferred_facts();

    boost::asio::any_io_executor executor_;
    std::size_t index_;
    shared_connection_state shared_;
    net::watchdog deadlines_;
    prng random_;
    std::array<char, 16384> received_{};
    boost::unordered_flat_map<std::uint64_t, agent_connection*> connections_;
    // The same connections, in the order of rechecks.
    boost::intrusive::list<agent_connection, boost::intrusive::constant_time_size<false>>
        check_order_;
    std::set<std::uint64_t> deferred_facts_;
    std::uint64_t last_number_ = 0;
    std::shared_ptr<const cluster::topology>
        checked_topology_;  // all connections are right for this topology
};

}  // namespace muster::node
