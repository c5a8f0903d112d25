#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

// Values carry their units: "30s", "1h30m", "250ms", "7d". A bare number is refused, because nobody
// remembers whether it meant seconds. Never negative.
result<monotonic::duration> parse_duration(std::string_view text);
std::string format_duration(monotonic::duration span);

// Bytes: "64MiB", "512KiB", "1GiB", "100B". Powers of 1024 only, since "MB" means two things.
result<std::int64_t> parse_size(std::string_view text);
std::string format_size(std::int64_t bytes);

}  // namespace muster
