#pragma once

#include "ports/bus.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "services/cluster/readiness.h"

#include <chrono>
#include <string>

namespace muster::cluster {

// Timeout of one engine request.
inline constexpr std::chrono::seconds engine_timeout{5};

// The three ports that every role uses. They outlive the roles.
struct engines {
    muster::metastore& metastore;
    muster::ledger& ledger;
    bus& bus;
};

// Checks every engine periodically and records the result for /readyz. It only observes: every port
// reconnects by itself.
class engine_monitor {
public:
    struct options {
        monotonic::duration interval = std::chrono::seconds(1);
        monotonic::duration timeout = std::chrono::seconds(2);  // of one check
    };

    engine_monitor(
        cluster::engines engines,
        muster::clock& clock,
        cluster::readiness& readiness,
        runtime::logger& log,
        options options)
        : engines_(engines),
          clock_(clock),
          readiness_(readiness),
          log_(log),
          options_(std::move(options)) {}

    // Runs until cancelled.
    boost::asio::awaitable<void> watch(cluster::engine engine);

private:
    async<void> check(cluster::engine engine);
    async<void> check_metastore();
    async<void> check_ledger();

    cluster::engines engines_;
    muster::clock& clock_;
    cluster::readiness& readiness_;
    runtime::logger& log_;
    options options_;
};

}  // namespace muster::cluster
