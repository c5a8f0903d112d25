#pragma once

#include <string>

namespace muster::people {

// The key under which failed attempts from an address count: the address, or the /64 of an IPv6
// address, because one machine owns all addresses of it.
std::string address_limit_key(const std::string& address);

}  // namespace muster::people
