#pragma once

#include "ports/contract/world.h"
#include "runtime/clock.h"

namespace muster::harness {

// The machine's own clock and an event loop on the calling thread.
class real_world final : public contract::world {
public:
    clock& time() override { return time_; }
    void run(boost::asio::awaitable<void> scenario) override;

private:
    runtime::system_clock time_;
};

}  // namespace muster::harness
