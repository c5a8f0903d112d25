#pragma once

#include "base/assert.h"
#include "ports/limit_hits.h"

#include <atomic>
#include <cstddef>

namespace muster::ledger_sql {

// Bounds the bytes of pending writes, from submission to completion: a queue that is bounded by the
// number of writes does not bound memory. Thread-safe.
class byte_budget {
public:
    explicit byte_budget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    // False when the budget would be exceeded. A write larger than the budget is accepted alone, or
    // it could never be written.
    [[nodiscard]] bool try_reserve(std::size_t bytes) {
        std::size_t used = used_.load();
        do {
            const bool fits = used == 0 || (used <= bytes_max_ && bytes <= bytes_max_ - used);
            if (!fits) {
                hits_.add_refused();
                return false;
            }
        } while (!used_.compare_exchange_weak(used, used + bytes));
        return true;
    }

    void release(std::size_t bytes) {
        const std::size_t used = used_.fetch_sub(bytes);
        MUSTER_ASSERT(used >= bytes);
    }

    limit_hits hits() const { return hits_.read(); }

private:
    std::size_t bytes_max_;
    std::atomic<std::size_t> used_ = 0;
    limit_counter hits_;
};

}  // namespace muster::ledger_sql
