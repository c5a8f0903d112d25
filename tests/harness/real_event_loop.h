#pragma once

#include "ports/contract/world.h"
#include "runtime/clock.h"

#include <functional>

namespace muster::harness {

// The machine's own clock and an event loop on the calling thread.
class real_event_loop final : public contract::world {
public:
    muster::clock& clock() override { return clock_; }
    void run(boost::asio::awaitable<void> scenario) override;

private:
    runtime::system_clock clock_;
};

// Does work that blocks on a thread of its own while the scenario's loop goes on: clients write and
// read during an election. No process is started there: it would die with the thread.
boost::asio::awaitable<void> beside_the_loop(std::function<void()> work);

}  // namespace muster::harness
