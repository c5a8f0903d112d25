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

// Keeps this server listed under servers/NAME with a lease: a server that is silent for `ttl`
// leaves the list. It registers again after an outage of the metastore. Not thread-safe, except for
// first_listed(); call from one strand.
//
// A name belongs to the data directory that holds it. Another server of the same name waits, and
// logs it, until the first is gone.
//
// The guard holds while the lease is certain and this server had the newest slot table at the last
// check. So a server that acts under the guard uses a table that was replaced at most `ttl` ago.
class registration final : public process_start {
public:
    struct options {
        server_record server;
        std::chrono::seconds ttl{10};
    };
    struct dependencies {
        muster::clock& clock;
        cluster::readiness& readiness;
        lease_guard& guard;
        const topology_cache& topology;
        runtime::logger& log;
        runtime::wakeup* confirmed = nullptr;  // woken when the guard is confirmed
    };

    registration(muster::metastore& metastore, dependencies deps, options options)
        : metastore_(metastore), deps_(std::move(deps)), options_(std::move(options)) {}

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

    // The revision at which this process was first listed.
    std::int64_t first_listed() const override { return first_listed_; }

    // Removes the server from the list at once. Call it after run() has ended.
    async<void> leave();

private:
    async<void> register_server();
    async<void> write_entry(kv::lease_id lease);
    async<void> renew();
    async<void> confirm();
    async<bool> has_newest_table();

    metastore& metastore_;
    dependencies deps_;
    options options_;
    kv::lease_id lease_;
    std::atomic<std::int64_t> first_listed_ = 0;
};

}  // namespace muster::cluster
