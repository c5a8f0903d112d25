#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "runtime/wakeup.h"
#include "services/cluster/prefix_follower.h"
#include "services/cluster/topology.h"

#include <chrono>
#include <string>
#include <vector>

namespace muster::cluster {

// Keeps a topology_cache equal to the metastore: reads topology/ and servers/, then follows their
// changes. It reads everything again after a compaction, and periodically in case it missed a
// change. While the metastore is unavailable the last topology stays.
//
// A record that cannot be read is logged, listed in `unreadable` and keeps its last value. Not
// thread-safe, except for complete(); call from one strand.
class topology_follower {
public:
    struct options {
        monotonic::duration reconcile_interval = std::chrono::minutes(5);
        monotonic::duration retry_pause = std::chrono::seconds(1);
    };

    topology_follower(
        muster::metastore& metastore,
        muster::clock& clock,
        topology_cache& cache,
        runtime::logger& log,
        options options);
    topology_follower(const topology_follower&) = delete;
    topology_follower& operator=(const topology_follower&) = delete;

    // Wakes `reader` on the strand of the follower after each publication; wake() must be quick.
    // Add all readers before run().
    void wake_on_change(runtime::wakeup& reader) { readers_.push_back(&reader); }

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

    // Whether both parts were read at least once since the start. Thread-safe.
    bool complete() const { return topology_.complete() && servers_.complete(); }

private:
    enum class part { topology, servers };

    prefix_follower::hooks hooks_for(topology_follower::part part);
    void apply_all(
        topology_follower::part part, const std::vector<kv::entry>& entries, kv::revision revision);
    void apply_changes(topology_follower::part part, const kv::change_batch& batch);
    void apply(cluster::topology& topology, const kv::entry& entry);
    void erase(cluster::topology& topology, const std::string& key);
    void publish(cluster::topology topology);

    template <class Record>
    bool check_readable(
        cluster::topology& topology, const kv::entry& entry, const result<Record>& record);

    topology_cache& cache_;
    runtime::logger& log_;
    std::vector<runtime::wakeup*> readers_;
    prefix_follower topology_;
    prefix_follower servers_;
};

}  // namespace muster::cluster
