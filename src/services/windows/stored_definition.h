#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/model/job.h"
#include "core/schedules/schedule.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::windows {

// The documents of window_record, by kind.

struct stored_calendar {
    std::string url;   // where it comes from; empty: it was uploaded
    std::string text;  // iCalendar
    // Of one with an address: when that was last asked, and why what it said was not taken.
    wall_time fetched = {};
    std::string last_error = {};

    friend bool operator==(const stored_calendar&, const stored_calendar&) = default;
};

// `single`: all events of the calendar. `multi`: those whose SUMMARY is the schedule's name.
// `none`: no windows, so that nothing that needs one ever starts.
struct maintenance_schedule_record {
    std::string type;
    std::string calendar;  // its label; empty for `none`

    friend bool operator==(const maintenance_schedule_record&, const maintenance_schedule_record&) =
        default;
};

// What runs again and again. The query is resolved whenever it runs.
struct stored_schedule {
    schedules::written_timing timing;
    std::string query;
    std::string function;
    std::string arguments;  // JSON array
    std::string missed = "skip";
    bool maintenance_only = true;  // runs on a system with a schedule only within its window
    bool active = true;
    wall_time considered;          // runs up to here are dealt with
    rollout_options rollout = {};  // of the job that each run becomes
    wall_time made = {};           // nothing, as who made it: from before that was kept
    std::string made_by = {};

    friend bool operator==(const stored_schedule& one, const stored_schedule& other);
};

struct stored_policy {
    bool emergency_override = true;  // may be disabled

    friend bool operator==(const stored_policy&, const stored_policy&) = default;
};

// Whoever may start work outside of its window needs this permission.
inline constexpr std::string_view override_permission = "windows.override";

std::string encode(const stored_calendar& stored_calendar);
std::string encode(const maintenance_schedule_record& maintenance_schedule);
std::string encode(const stored_schedule& stored_schedule);
std::string encode(const stored_policy& stored_policy);

// errc::corrupt when the text is not such a document.
result<stored_calendar> decode_calendar(std::string_view text);
result<maintenance_schedule_record> decode_maintenance(std::string_view text);
result<stored_schedule> decode_schedule(std::string_view text);
result<stored_policy> decode_policy(std::string_view text);

}  // namespace muster::windows
