#pragma once

#include "core/windows/component.h"
#include "core/windows/event.h"
#include "core/windows/time_zone.h"

#include <map>
#include <string>

namespace muster::windows {

// Finds the time zones of a calendar's times.
struct time_zone_lookup {
    std::map<std::string, time_zone_pointer, std::less<>> calendar_zones;  // its VTIMEZONEs by name
    const time_zone_source& source;
    time_zone_pointer default_zone;  // for times without a zone

    result<time_zone_pointer> find(const content_line& line) const;
};

// Reads a VEVENT. Errors begin with "event N (line L)", where N is `number`.
result<event> read_event(
    const windows::component& component, std::size_t number, const time_zone_lookup& zones);

}  // namespace muster::windows
