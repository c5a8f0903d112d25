#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster {

// Lower-case hexadecimal, two digits a byte.
std::string to_hex(std::string_view bytes);

// Strict: an even number of digits of either case, nothing else.
result<std::string> from_hex(std::string_view digits);

}  // namespace muster
