#pragma once

#include "core/windows/time_zone.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::windows {

inline constexpr std::size_t tzif_bytes_max = 64 * std::size_t{1024};

// Parses a compiled zone of the IANA database (RFC 9636), as found under /usr/share/zoneinfo. The
// rule at its end is expanded up to the horizon. errc::corrupt for invalid data.
result<time_zone_pointer> parse_tzif(std::string name, std::string_view bytes);

// Whether this is a safe zone name: names become file paths and must not leave the directory.
bool is_zone_name(std::string_view name);

}  // namespace muster::windows
