#pragma once

#include "core/windows/time_zone.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::windows {

inline constexpr std::size_t tzif_bytes_max = 64 * std::size_t{1024};

// A compiled zone of the IANA database (RFC 9636), as it stands under /usr/share/zoneinfo, with the
// rule at its end worked out up to the horizon. errc::corrupt for anything that is none.
result<zone_pointer> parse_tzif(std::string name, std::string_view bytes);

// Whether it may be the name of a zone: what is looked up as a file must not lead elsewhere.
bool is_zone_name(std::string_view name);

}  // namespace muster::windows
