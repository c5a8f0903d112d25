#pragma once

#include "base/result.h"
#include "base/time.h"

#include <string>
#include <string_view>

namespace muster::sim {

// "500ms", "90s", "10m", "1h". errc::invalid otherwise.
result<monotonic::duration> parse_duration(std::string_view text);

// The shortest text that parse_duration reads back as the same span.
std::string to_string(monotonic::duration span);

}  // namespace muster::sim
