#pragma once

#include "core/session/reason.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace muster::node {

// Counters of agent connections since the start. Written and read from any thread.
struct agent_connection_counters {
    using count = std::atomic<std::uint64_t>;
    static constexpr std::size_t reasons = 32;

    count attaches = 0;
    count beats = 0;
    std::array<count, reasons> refusals{};  // by reason
    std::array<count, reasons> detaches{};  // by reason
    count facts_taken = 0;
    count facts_refused = 0;   // over a limit, or digest mismatch
    count facts_deferred = 0;  // queue full: requested again later

    static void add(count& count) { count.fetch_add(1, std::memory_order_relaxed); }
    static count& of(std::array<count, reasons>& counts, session::reason reason) {
        const auto index = static_cast<std::size_t>(reason);
        return counts.at(index < reasons ? index : 0);
    }
};

}  // namespace muster::node
