#include "adapters/net/event_loops.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::net {

event_loops::event_loops(std::size_t count) {
    MUSTER_ASSERT(count > 0);
    for (std::size_t index = 0; index < count; ++index) {
        auto& added = *loops_.emplace_back(std::make_unique<loop>());
        added.thread = std::thread([&context = added.context] { context.run(); });
    }
}

event_loops::~event_loops() {
    finish();
}

std::size_t event_loops::count_default() {
    return std::max(1U, std::thread::hardware_concurrency());
}

void event_loops::finish() {
    for (auto& loop : loops_) loop->work.reset();
    for (auto& loop : loops_) {
        if (loop->thread.joinable()) loop->thread.join();
    }
}

}  // namespace muster::net
