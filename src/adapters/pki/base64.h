#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::pki {

// RFC 4648 base64 with padding, on one line.
std::string to_base64(std::string_view bytes);

// Strict: the alphabet and correct padding, no white space, no bits left over. So each value has
// exactly one spelling.
result<std::string> from_base64(std::string_view text);

}  // namespace muster::pki
