#pragma once

#include <cstdint>

namespace muster::harness {

// A loopback TCP port for a server of this test. No other test program gets it while this process
// runs, and no outgoing connection takes it while the server is down.
std::uint16_t free_port();

}  // namespace muster::harness
