#pragma once

#include "base/endpoint.h"
#include "base/result.h"

#include <string>
#include <vector>

namespace muster::ledger_postgres {

// Where libpq would connect to for an address, its environment included: host names, IP addresses,
// or directories of Unix sockets. errc::invalid when the address is none.
result<std::vector<std::string>> hosts_of(const std::string& address);

// The same with ports, without Unix sockets.
result<std::vector<endpoint>> endpoints_of(const std::string& address);

}  // namespace muster::ledger_postgres
