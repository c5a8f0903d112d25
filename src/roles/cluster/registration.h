#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "roles/cluster/readiness.h"
#include "roles/cluster/record.h"
#include "runtime/log.h"

#include <chrono>

namespace muster::cluster {

// Keeps this server listed under servers/NAME with a lease: whoever falls silent for `ttl` is
// no longer listed. Comes back by itself after the metastore was away. Lives on one strand.
//
// A name belongs to the data directory that holds it; another server of the same name waits until
// the first is gone, and says so.
class registration {
public:
    struct options {
        server_record own;
        std::chrono::seconds ttl{10};
    };

    registration(metastore& store, clock& time, readiness& noted, runtime::logger& log, options how)
        : store_(store), time_(time), noted_(noted), log_(log), how_(std::move(how)) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> keep();

    // Takes the server off the list at once. To be called after keep() has ended.
    async<void> leave();

private:
    async<void> enlist();
    async<void> write_entry(kv::lease_id lease);
    async<void> stay();

    metastore& store_;
    clock& time_;
    readiness& noted_;
    runtime::logger& log_;
    options how_;
    kv::lease_id lease_;
};

}  // namespace muster::cluster
