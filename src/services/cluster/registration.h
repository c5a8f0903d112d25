#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "runtime/wakeup.h"
#include "services/cluster/lease_guard.h"
#include "services/cluster/process_start.h"
#include "services/cluster/readiness.h"
#include "services/cluster/record.h"
#include "services/cluster/topology.h"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace muster::cluster {

// Keeps this server listed under servers/NAME with a lease: whoever falls silent for `ttl` is
// no longer listed. Comes back by itself after the metastore was away. Lives on one strand.
//
// A name belongs to the data directory that holds it; another server of the same name waits until
// the first is gone, and says so.
//
// The guard holds while the lease is sure and the slot table this server knows was the newest one
// when that was last asked. So a server that acts while it holds relies on a table that was
// replaced `ttl` ago at most.
class registration final : public process_start {
public:
    struct options {
        server_record own;
        std::chrono::seconds ttl{10};
    };
    struct dependencies {
        muster::clock& clock;
        readiness& noted;
        lease_guard& guard;
        const topology_cache& topology;
        runtime::logger& log;
        runtime::wakeup* confirmed = nullptr;  // woken when the guard holds anew
    };

    registration(muster::metastore& metastore, dependencies deps, options options)
        : metastore_(metastore), deps_(std::move(deps)), options_(std::move(options)) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> keep();

    // The revision at which this process was first listed.
    std::int64_t first_listed() const override { return first_listed_; }

    // Takes the server off the list at once. To be called after keep() has ended.
    async<void> leave();

private:
    async<void> enlist();
    async<void> write_entry(kv::lease_id lease);
    async<void> stay();
    async<void> confirm();
    async<bool> knows_newest_table();

    metastore& metastore_;
    dependencies deps_;
    options options_;
    kv::lease_id lease_;
    std::atomic<std::int64_t> first_listed_ = 0;
};

}  // namespace muster::cluster
