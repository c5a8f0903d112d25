#pragma once

#include <string>
#include <string_view>

namespace muster::harness {

// The bytes of a zone of this machine's IANA database; empty when there is none of this name.
std::string zone_bytes(std::string_view name);

}  // namespace muster::harness
