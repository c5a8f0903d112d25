#pragma once

#include <atomic>
#include <cstdint>

namespace muster {

// How often the limits of an adapter were hit since it was opened, for /metrics.
struct limit_hits {
    std::uint64_t refused = 0;  // calls answered with unavailable, because too much waited already
    std::uint64_t lagging = 0;  // times a slow reader's buffer was full

    friend limit_hits operator+(limit_hits left, limit_hits right) {
        return {.refused = left.refused + right.refused, .lagging = left.lagging + right.lagging};
    }
};

// Counts them. Thread-safe; each number is exact, the two are not one moment's.
class limit_counter {
public:
    void refused() { refused_.fetch_add(1, std::memory_order_relaxed); }
    void lagging(std::uint64_t times = 1) { lagging_.fetch_add(times, std::memory_order_relaxed); }
    limit_hits read() const { return {.refused = refused_.load(), .lagging = lagging_.load()}; }

private:
    std::atomic<std::uint64_t> refused_ = 0;
    std::atomic<std::uint64_t> lagging_ = 0;
};

}  // namespace muster
