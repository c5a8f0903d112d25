#pragma once

#include "adapters/net/endpoint.h"
#include "base/result.h"

#include <vector>

namespace muster::server {

// Listens at all of them for a moment, as the servers behind them will: a port that is taken or an
// address that is not this machine's is found before anything is written.
result<void> check_ports_available(const std::vector<net::endpoint>& places);

}  // namespace muster::server
