#pragma once

#include "ports/metastore.h"

#include <cstdint>
#include <string>

namespace muster::cluster {

// Which numbers somebody wants of a counter in the metastore.
struct wanted_numbers {
    std::string key;  // of the counter: the last number given
    std::string of;   // for people: "systems"
    std::int64_t count = 1;
    std::int64_t number_max = INT32_MAX;
    std::int64_t above = 0;  // none up to here, whatever the counter says
};

// Takes so many numbers in a row, each of which is given once in the life of the cluster, on
// whichever server; the first of them. What is taken and not used is a gap.
async<std::int64_t> reserve_numbers(muster::metastore& metastore, wanted_numbers wanted_numbers);

}  // namespace muster::cluster
