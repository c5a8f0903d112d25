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

// Writes down which nodes the cluster misses, because they cannot themselves; and drops what is
// older than it is to be kept, by whole spans of time. A warden that dies is followed by one that
// reads the same of the nodes' records and writes the same rows. Works on one server at a time,
// that of the active driver. Lives on one strand.
class presence_history_pruner {
public:
    struct dependencies {
        muster::ledger& ledger;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        runtime::logger& log;
    };
    struct options {
        std::chrono::hours keep = std::chrono::hours(24 * 30);
        monotonic::duration interval = std::chrono::seconds(2);
        monotonic::duration tidy_interval = std::chrono::hours(1);
        monotonic::duration timeout = std::chrono::seconds(30);  // for the ledger
    };

    presence_history_pruner(dependencies deps, options options) : deps_(deps), options_(options) {}

    // Until it is cancelled; works while `active` says so.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);
    async<void> look();  // for nodes that are missed
    async<void> tidy();  // drops what is old

private:
    dependencies deps_;
    options options_;
    std::shared_ptr<const cluster::topology> seen_;
    std::set<std::pair<node_number, wall_time>> marked_;
    instant tidy_due_{};
};

}  // namespace muster::presence::history
