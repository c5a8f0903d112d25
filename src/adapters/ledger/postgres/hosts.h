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

// One of the places that an address names, in libpq's own words.
struct place {
    std::string host;     // empty: libpq's own directory of Unix sockets
    std::string address;  // where to connect to, if not by the host's name
    std::string port;
};

// In their order; at least one. errc::invalid when there are not as many ports as hosts.
result<std::vector<place>> places_of(const std::string& address);

}  // namespace muster::ledger_postgres
