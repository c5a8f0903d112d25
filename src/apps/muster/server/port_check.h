#pragma once

#include "adapters/net/endpoint.h"
#include "base/result.h"

#include <vector>

namespace muster::server {

// Briefly binds all endpoints: finds a port in use, or an address of another machine, before
// anything is written.
result<void> check_ports_available(const std::vector<net::endpoint>& endpoints);

}  // namespace muster::server
