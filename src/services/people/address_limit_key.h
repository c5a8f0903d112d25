#pragma once

#include <string>

namespace muster::people {

// What failed attempts from an address count against: itself, and of IPv6 its /64, because one
// machine has all addresses of such a network.
std::string address_limit_key(const std::string& address);

}  // namespace muster::people
