#pragma once

#include "core/windows/component.h"
#include "core/windows/event.h"
#include "core/windows/time_zone.h"

#include <map>
#include <string>

namespace muster::windows {

// How the times of a calendar are to be read.
struct time_zone_lookup {
    std::map<std::string, zone_pointer, std::less<>> own;  // its VTIMEZONEs
    const zone_source& others;
    zone_pointer floating;  // for times without a zone

    result<zone_pointer> find(const content_line& line) const;
};

// A VEVENT. Errors begin with "event N (line L)".
result<event> read_event(const component& from, std::size_t number, const time_zone_lookup& zones);

}  // namespace muster::windows
