#pragma once

#include <cstdint>

namespace muster::harness {

// A loopback TCP port that nobody listens on now and that no later call of this process repeats.
std::uint16_t free_port();

}  // namespace muster::harness
