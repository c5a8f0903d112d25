#pragma once

#include "base/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// Digits behind the second.
enum class iso_precision { seconds, milliseconds, microseconds };

// "2026-11-16T22:00:00Z", "2026-11-16T22:00:00.042Z": UTC; what is finer than the precision is cut
// off. A time outside the years 0 to 9999 is written as the first or last of them, because nothing
// else can be read again.
std::string iso_time(wall_time moment, iso_precision precision = iso_precision::seconds);

// The same with none to six digits of a fraction. Strict: UTC only, a real day.
std::optional<wall_time> parse_iso_time(std::string_view text);

}  // namespace muster
