#pragma once

#include "base/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// Precision of the seconds.
enum class iso_precision { seconds, milliseconds, microseconds };

// Formats a time as "2026-11-16T22:00:00Z" or "2026-11-16T22:00:00.042Z". Always UTC; truncated to
// the precision. Times outside the years 0 to 9999 are clamped, because they could not be parsed.
std::string iso_time(wall_time moment, iso_precision precision = iso_precision::seconds);

// Parses the same format with up to six fraction digits. Strict: UTC only, an existing date.
std::optional<wall_time> parse_iso_time(std::string_view text);

}  // namespace muster
