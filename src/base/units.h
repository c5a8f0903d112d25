#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

// Durations have units: "30s", "1h30m", "250ms", "7d". A bare number is refused, because its unit
// is ambiguous. Never negative.
result<monotonic::duration> parse_duration(std::string_view text);
std::string format_duration(monotonic::duration span);

// Sizes in bytes: "64MiB", "512KiB", "1GiB", "100B". Powers of 1024 only, because "MB" is
// ambiguous.
result<std::int64_t> parse_size(std::string_view text);
std::string format_size(std::int64_t bytes);

}  // namespace muster
