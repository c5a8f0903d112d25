#pragma once

#include "base/result.h"
#include "core/windows/event.h"
#include "core/windows/time_zone.h"
#include "core/windows/timetable.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::windows {

struct calendar_limits {
    static constexpr std::size_t events_max = 2'000;
    static constexpr std::size_t zones_max = 64;
};

// An iCalendar text (RFC 5545), read strictly: what it says about windows is either understood or
// refused with the line and the reason; what has nothing to do with them (alarms, attendees,
// to-dos) is passed over. Immutable.
//
// Zones come from the calendar's own VTIMEZONEs, else from `zones` by their IANA name. A time
// without a zone is in that of X-WR-TIMEZONE, else in UTC.
class calendar {
public:
    static result<calendar> parse(std::string_view text, const zone_source& zones);

    const std::vector<event>& events() const { return whole_.events(); }

    // The summaries: what schedules of the type multi may be called.
    std::set<std::string> names() const;

    // All events as one schedule (single), or those with this summary (multi).
    const timetable& whole() const { return whole_; }
    timetable named(std::string_view summary) const;

private:
    timetable whole_;
    std::map<std::string, timetable, std::less<>> named_;
};

}  // namespace muster::windows
