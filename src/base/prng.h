#pragma once

#include "base/assert.h"

#include <cstdint>

namespace muster {

// The splitmix64 generator. Implemented here, so that a seed gives the same sequence with every
// standard library.
class prng {
public:
    explicit prng(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    std::uint64_t below(std::uint64_t bound) {
        MUSTER_ASSERT(bound > 0);
        return next() % bound;
    }

    bool chance(std::uint32_t per_mille) { return below(1000) < per_mille; }

    // An independent generator, so that the draws of one component do not shift those of another.
    prng fork() { return prng(next()); }

private:
    std::uint64_t state_;
};

}  // namespace muster
