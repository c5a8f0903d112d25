#pragma once

#include "base/endpoint.h"
#include "base/result.h"

#include <string>
#include <vector>

namespace muster::ledger_postgres {

// The hosts that libpq connects to for an address, with its environment: host names, IP addresses
// or directories of Unix sockets. errc::invalid when the address is malformed.
result<std::vector<std::string>> hosts_of(const std::string& address);

// The same with ports, without Unix sockets.
result<std::vector<endpoint>> endpoints_of(const std::string& address);

// One host of an address, in libpq's terms.
struct host_address {
    std::string host;     // empty: libpq's own directory of Unix sockets
    std::string address;  // IP address to connect to; empty: resolve the host
    std::string port;
};

// In their order; at least one. errc::invalid when there are not as many ports as hosts.
result<std::vector<host_address>> host_addresses_of(const std::string& address);

}  // namespace muster::ledger_postgres
