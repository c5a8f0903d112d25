#pragma once

#include "core/session/reason.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace muster::node {

// What the node's channels have seen since the start. Written by all event loops, read by anybody.
struct agent_connection_counters {
    using count = std::atomic<std::uint64_t>;
    static constexpr std::size_t reasons = 32;

    count attaches = 0;
    count beats = 0;
    std::array<count, reasons> refusals{};  // by reason
    std::array<count, reasons> detaches{};  // by reason
    count facts_taken = 0;
    count facts_refused = 0;   // over a limit, or not what they should be
    count facts_deferred = 0;  // too many were waiting: asked for again later

    static void add(count& count) { count.fetch_add(1, std::memory_order_relaxed); }
    static count& of(std::array<count, reasons>& all, session::reason why) {
        const auto at = static_cast<std::size_t>(why);
        return all.at(at < reasons ? at : 0);
    }
};

}  // namespace muster::node
