#pragma once

#include "core/model/system.h"
#include "ports/metastore.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

namespace muster::fleet {

// Gives systems their numbers: each once in the life of the cluster, on whichever server. Ranges
// are taken from a counter in the metastore; what a server took and did not use is lost when it
// stops, which costs nothing but gaps. Thread-safe.
class system_number_allocator {
public:
    static constexpr std::int64_t number_max = UINT32_MAX;  // 32 bits is what the API promises

    explicit system_number_allocator(muster::metastore& metastore, std::int64_t range = 100)
        : metastore_(metastore), range_(range) {}

    async<std::vector<system_number>> take(std::size_t count);

    // Only what surely was not given to anybody.
    void release_memory(std::vector<system_number> unused);

private:
    async<void> reserve(std::int64_t count);
    std::vector<system_number> take_held(std::size_t count);

    metastore& metastore_;
    std::int64_t range_;
    std::mutex guard_;
    std::deque<system_number> held_;
};

}  // namespace muster::fleet
