#pragma once

#include "core/windows/component.h"
#include "core/windows/time_zone.h"

namespace muster::windows {

// Parses the VTIMEZONE of a calendar (RFC 5545, 3.6.5) and expands it up to the horizon.
result<time_zone_pointer> parse_vtimezone(const windows::component& component);

}  // namespace muster::windows
