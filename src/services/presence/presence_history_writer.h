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

// Records which systems attach to this node and detach from it: one batch per interval, however
// many they are. While the ledger is unavailable, intervals are queued up to a limit. Further ones
// are lost, and the history marks that time as unknown.
//
// Not thread-safe; call from the strand of the publisher.
class presence_history_writer {
public:
    struct dependencies {
        muster::ledger& ledger;
        muster::clock& clock;
        runtime::logger& log;
        const cluster::topology_cache& topology;  // to find the number of this node
        const cluster::process_start& start;
    };
    struct options {
        std::string node;  // name of this node
        monotonic::duration interval = std::chrono::seconds(15);
        std::size_t queued_max = 240;  // intervals: an hour
        std::size_t queued_bytes_max = std::size_t{32} << 20U;
        monotonic::duration timeout = std::chrono::seconds(5);  // of one ledger write
        std::chrono::microseconds interval_max = std::chrono::minutes(1);
    };

    presence_history_writer(dependencies deps, options options)
        : deps_(deps), options_(std::move(options)) {}
    presence_history_writer(const presence_history_writer&) = delete;
    presence_history_writer& operator=(const presence_history_writer&) = delete;

    void record(const attached_agents::changes& changes);

    // Runs until cancelled.
    boost::asio::awaitable<void> run();
    // Writes the last changes and marks that no system is attached any more. Call it after run()
    // has ended.
    async<void> finish(attached_agents::changes last);

    // Ends an interval and writes the queued ones.
    async<void> end_interval();

    std::uint64_t intervals_lost() const { return lost_; }
    void export_to(runtime::metrics& metrics) const;

private:
    node_number number() const;
    bool ensure_recorder();
    bool has_room() const;
    void enqueue(const presence_recorder::interval_record& interval);
    void drop_queue();
    async<void> write_queue();

    dependencies deps_;
    options options_;
    std::optional<presence_recorder> recorder_;  // empty until the node has a number
    std::deque<table::batch> queue_;
    std::size_t queue_bytes_ = 0;
    std::atomic<std::uint64_t> lost_ = 0;
    bool failing_ = false;
};

}  // namespace muster::presence::history
