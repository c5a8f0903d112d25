#pragma once

#include "base/assert.h"
#include "ports/limit_hits.h"

#include <atomic>
#include <cstddef>

namespace muster::ledger_sql {

// The bytes of the writes an engine holds, from the moment they were asked for until they are
// answered: a queue bounded by their number alone is bounded by no memory. Thread-safe.
class byte_budget {
public:
    explicit byte_budget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    // False when it would be exceeded. What is larger than all of it is taken alone, or it could
    // never be written.
    [[nodiscard]] bool try_take(std::size_t bytes) {
        std::size_t held = held_.load();
        do {
            const bool fits = held == 0 || (held <= bytes_max_ && bytes <= bytes_max_ - held);
            if (!fits) {
                hits_.refused();
                return false;
            }
        } while (!held_.compare_exchange_weak(held, held + bytes));
        return true;
    }

    void release_memory(std::size_t bytes) {
        const std::size_t held = held_.fetch_sub(bytes);
        MUSTER_ASSERT(held >= bytes);
    }

    limit_hits hits() const { return hits_.read(); }

private:
    std::size_t bytes_max_;
    std::atomic<std::size_t> held_ = 0;
    limit_counter hits_;
};

}  // namespace muster::ledger_sql
