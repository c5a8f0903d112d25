#pragma once

#include "core/windows/component.h"
#include "core/windows/time_zone.h"

namespace muster::windows {

// A zone that a calendar brings along (RFC 5545, 3.6.5), worked out up to the horizon.
result<zone_pointer> parse_vtimezone(const component& from);

}  // namespace muster::windows
