#pragma once

#include "base/result.h"

#include <string_view>

namespace muster::fleet {

// Whether bytes are exactly one roaring bitmap in the portable format: every length, order, count
// and offset is looked at, because the library believes what it is given. errc::invalid says what
// is wrong.
result<void> check_portable_set(std::string_view bytes);

}  // namespace muster::fleet
