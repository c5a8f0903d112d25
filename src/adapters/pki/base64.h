#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::pki {

// RFC 4648 base64 with padding, on one line.
std::string to_base64(std::string_view bytes);

// Strict: requires the alphabet and correct padding; refuses white space and unused bits. So each
// value has exactly one encoding.
result<std::string> from_base64(std::string_view text);

}  // namespace muster::pki
