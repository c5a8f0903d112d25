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

// For one answer of an engine.
inline constexpr std::chrono::seconds engine_timeout{5};

// The three ports, as every role is given them. They outlive the roles.
struct engines {
    muster::metastore& metastore;
    muster::ledger& ledger;
    bus& bus;
};

// Asks each engine now and then whether it is there, and notes the answer for /readyz. Every port
// recovers by itself; this only watches.
class engine_monitor {
public:
    struct options {
        monotonic::duration interval = std::chrono::seconds(1);
        monotonic::duration timeout = std::chrono::seconds(2);  // for one answer
    };

    engine_monitor(
        engines watched,
        muster::clock& clock,
        readiness& noted,
        runtime::logger& log,
        options options)
        : watched_(watched),
          clock_(clock),
          noted_(noted),
          log_(log),
          options_(std::move(options)) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> watch(engine engine);

private:
    async<void> ask(engine which);
    async<void> ask_metastore();
    async<void> ask_ledger();

    engines watched_;
    muster::clock& clock_;
    readiness& noted_;
    runtime::logger& log_;
    options options_;
};

}  // namespace muster::cluster
