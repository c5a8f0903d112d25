#pragma once

#include "core/presence/history.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/log.h"
#include "services/cluster/topology.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <utility>

namespace muster::presence::history {

// Records which nodes are missing, because they cannot do it themselves, and drops history that is
// past its retention, by whole partitions. A successor reads the same node records and writes the
// same rows.
//
// Runs on one server, that of the active driver. Not thread-safe; call from one strand.
class presence_history_pruner {
public:
    struct dependencies {
        muster::ledger& ledger;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        runtime::logger& log;
    };
    struct options {
        std::chrono::hours retention = std::chrono::hours(24 * 30);
        monotonic::duration interval = std::chrono::seconds(2);
        monotonic::duration prune_interval = std::chrono::hours(1);
        monotonic::duration timeout = std::chrono::seconds(30);  // of one ledger request
    };

    presence_history_pruner(dependencies deps, options options) : deps_(deps), options_(options) {}

    // Runs until cancelled; works while `active` is true.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);
    async<void> record_missing_nodes();
    async<void> prune();

private:
    dependencies deps_;
    options options_;
    std::shared_ptr<const cluster::topology> checked_;
    std::set<std::pair<node_number, wall_time>> marked_;
    instant prune_due_{};
};

}  // namespace muster::presence::history
