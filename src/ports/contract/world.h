#pragma once

#include "ports/clock.h"

#include <boost/asio/awaitable.hpp>

namespace muster::contract {

// Where a contract is tried: a real event loop (tests/harness) or virtual time (sim).
class world {
public:
    world() = default;
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    virtual ~world() = default;

    virtual muster::clock& clock() = 0;

    // Runs the scenario to its end; rethrows what it throws.
    virtual void run(boost::asio::awaitable<void> scenario) = 0;
};

}  // namespace muster::contract
