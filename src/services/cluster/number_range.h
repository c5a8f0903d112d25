#pragma once

#include "ports/metastore.h"

#include <cstdint>
#include <string>

namespace muster::cluster {

// A request for consecutive numbers from a counter in the metastore.
struct number_request {
    std::string key;      // of the counter; holds the last number given
    std::string subject;  // what gets the numbers, for error texts: "systems"
    std::int64_t count = 1;
    std::int64_t number_max = INT32_MAX;
    std::int64_t above = 0;  // only numbers above this one, even if the counter is behind
};

// Reserves `count` consecutive numbers and returns the first. A number is given out once in the
// life of the cluster, on any server. Reserved numbers that stay unused leave a gap.
async<std::int64_t> reserve_numbers(muster::metastore& metastore, number_request request);

}  // namespace muster::cluster
