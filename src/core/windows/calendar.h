#pragma once

#include "base/result.h"
#include "core/windows/event.h"
#include "core/windows/time_zone.h"
#include "core/windows/window_schedule.h"

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

// An iCalendar text (RFC 5545), parsed strictly. An unknown part that affects windows is refused
// with its line and a reason. Parts without effect on windows (alarms, attendees, to-dos) are
// skipped. Immutable.
//
// Time zones come from the calendar's VTIMEZONEs, else from `zones` by their IANA name. A time
// without a zone is in the zone of X-WR-TIMEZONE, else in UTC.
class calendar {
public:
    static result<calendar> parse(std::string_view text, const time_zone_source& zones);

    const std::vector<event>& events() const { return all_events_.events(); }

    // The names that schedules of type multi may have.
    std::set<std::string> summaries() const;

    // All events as one schedule (type single), or the events with this summary (type multi).
    const window_schedule& all_events() const { return all_events_; }
    window_schedule events_named(std::string_view summary) const;

private:
    window_schedule all_events_;
    std::map<std::string, window_schedule, std::less<>> by_summary_;
};

}  // namespace muster::windows
