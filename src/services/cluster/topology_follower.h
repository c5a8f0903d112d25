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

// Keeps a topology_cache as new as the metastore: reads topology/ and servers/ whole, then follows
// their changes. What it missed, because the history was compacted, and what it may have missed
// without knowing, it makes good by reading everything again. While the metastore is away the last
// topology stays.
//
// A record that cannot be read is logged, noted in the topology and left as it was. Lives on one
// strand.
class topology_follower {
public:
    struct options {
        monotonic::duration reconcile_interval = std::chrono::minutes(5);
        monotonic::duration retry_pause = std::chrono::seconds(1);
    };

    topology_follower(
        muster::metastore& metastore,
        muster::clock& clock,
        topology_cache& cell,
        runtime::logger& log,
        options options);
    topology_follower(const topology_follower&) = delete;
    topology_follower& operator=(const topology_follower&) = delete;

    // Woken on the follower's strand after each publication; it must be quick. All are to be
    // added before run().
    void wake_on_change(runtime::wakeup& reader) { readers_.push_back(&reader); }

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    // Whether both parts have been read since the start. From any thread.
    bool complete() const { return topology_.complete() && servers_.complete(); }

private:
    enum class part { topology, servers };

    prefix_follower::hooks hooks_for(part part);
    void take_all(part which, const std::vector<kv::entry>& entries, kv::revision at);
    void take_changes(part which, const kv::change_batch& batch);
    void apply(topology& next, const kv::entry& now);
    void forget(topology& next, const std::string& key);
    void publish(topology next);

    template <class Record>
    bool readable(topology& next, const kv::entry& from, const result<Record>& read);

    topology_cache& cell_;
    runtime::logger& log_;
    std::vector<runtime::wakeup*> readers_;
    prefix_follower topology_;
    prefix_follower servers_;
};

}  // namespace muster::cluster
