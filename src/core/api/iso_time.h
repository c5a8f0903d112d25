#pragma once

#include "base/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::api {

// "2026-11-16T22:00:00Z", with up to six digits of a fraction. Strict: UTC only, a real day.
std::optional<wall_time> parse_iso_time(std::string_view text);

// Without a fraction.
std::string to_iso_time(wall_time moment);

}  // namespace muster::api
