#pragma once

#include "adapters/net/watchdog.h"
#include "base/prng.h"
#include "roles/node/connections/agent_connection.h"
#include "roles/node/connections/agent_connection_counters.h"
#include "roles/node/connections/attach_gate.h"
#include "roles/node/connections/channel_options.h"
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

// What all event loops share. Thread-safe.
struct shared_connection_state {
    const channel_options& how;
    const system_locator& known;
    presence::attached_agents& attached;
    facts_writer& facts;
    dispatch::task_inbox& tasks;
    dispatch::task_observers& watching;
    agent_connection_counters& counted;
    attach_gate& gate;
    agent_connection_loops& loops;
};

// The channels of one event loop. Everything happens on that loop.
class agent_connection_loop {
public:
    agent_connection_loop(
        boost::asio::any_io_executor executor, std::size_t index, shared_connection_state all)
        : executor_(std::move(executor)), index_(index), all_(all), random_(index + 1) {}
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
