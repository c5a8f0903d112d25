#pragma once

#include "core/presence/presence_recorder.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "services/cluster/process_start.h"
#include "services/cluster/topology.h"
#include "services/presence/attached_agents.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace muster::presence::history {

// Brings on record who comes to this node and goes: one batch a turn, however many they are. While
// the ledger is away turns wait for it, up to a limit; what comes then is lost, and the record says
// that nothing is known of that time. Lives on the strand of the publisher, who tells it.
class presence_history_writer {
public:
    struct dependencies {
        muster::ledger& ledger;
        muster::clock& clock;
        runtime::logger& log;
        const cluster::topology_cache& topology;  // where the node's number is found
        const cluster::process_start& start;
    };
    struct options {
        std::string node;  // this node's name
        monotonic::duration turn = std::chrono::seconds(15);
        std::size_t waiting_max = 240;  // turns: an hour
        std::size_t waiting_bytes_max = std::size_t{32} << 20U;
        monotonic::duration timeout = std::chrono::seconds(5);  // for the ledger to take one
        std::chrono::microseconds turn_max = std::chrono::minutes(1);
    };

    presence_history_writer(dependencies deps, options options)
        : deps_(deps), options_(std::move(options)) {}
    presence_history_writer(const presence_history_writer&) = delete;
    presence_history_writer& operator=(const presence_history_writer&) = delete;

    void note(const attached_agents::changes& changes);

    // Until it is cancelled.
    boost::asio::awaitable<void> run();
    // The node's last word, after run() has ended: who has left by now, and that nobody is here.
    async<void> finish(attached_agents::changes last);

    // Ends a turn and writes what waits.
    async<void> end_turn();

    std::uint64_t turns_lost() const { return lost_; }
    void export_to(runtime::metrics& metrics) const;

private:
    node_number number() const;
    bool ready();
    bool has_room() const;
    void wait_with(const presence_recorder::page& page);
    void lose_waiting();
    async<void> write_waiting();

    dependencies deps_;
    options options_;
    std::optional<presence_recorder> kept_;  // none until the node has a number
    std::deque<table::batch> waiting_;
    std::size_t waiting_bytes_ = 0;
    std::atomic<std::uint64_t> lost_ = 0;
    bool losing_ = false;
};

}  // namespace muster::presence::history
