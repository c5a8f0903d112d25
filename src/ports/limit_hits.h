#pragma once

#include <atomic>
#include <cstdint>

namespace muster {

// How often the limits of an adapter were hit since it was opened. For /metrics.
struct limit_hits {
    std::uint64_t refused = 0;  // calls refused with errc::unavailable, because a queue was full
    std::uint64_t lagging = 0;  // how often the buffer of a slow reader was full

    friend limit_hits operator+(limit_hits left, limit_hits right) {
        return {.refused = left.refused + right.refused, .lagging = left.lagging + right.lagging};
    }
};

// Counts hits. Thread-safe; read() does not read both numbers at the same moment.
class limit_counter {
public:
    void add_refused() { refused_.fetch_add(1, std::memory_order_relaxed); }
    void add_lagging(std::uint64_t count = 1) {
        lagging_.fetch_add(count, std::memory_order_relaxed);
    }
    limit_hits read() const { return {.refused = refused_.load(), .lagging = lagging_.load()}; }

private:
    std::atomic<std::uint64_t> refused_ = 0;
    std::atomic<std::uint64_t> lagging_ = 0;
};

}  // namespace muster
