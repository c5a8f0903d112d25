#pragma once

#include "core/model/system.h"
#include "ports/metastore.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

namespace muster::fleet {

// Allocates system numbers, each once in the life of the cluster. It reserves ranges from a counter
// in the metastore. Reserved numbers are lost when the server stops, which leaves gaps only.
// Thread-safe.
class system_number_allocator {
public:
    static constexpr std::int64_t number_max = UINT32_MAX;  // 32 bits is what the API promises

    explicit system_number_allocator(muster::metastore& metastore, std::int64_t range = 100)
        : metastore_(metastore), range_(range) {}

    async<std::vector<system_number>> allocate(std::size_t count);

    // Returns numbers that were certainly not given to a system.
    void return_unused(std::vector<system_number> unused);

private:
    async<void> reserve(std::int64_t count);
    std::vector<system_number> pop_reserved(std::size_t count);

    metastore& metastore_;
    std::int64_t range_;
    std::mutex mutex_;
    std::deque<system_number> reserved_;
};

}  // namespace muster::fleet
