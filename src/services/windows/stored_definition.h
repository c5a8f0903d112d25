#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/model/job.h"
#include "core/schedules/schedule.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::windows {

// The JSON documents of window_record, by kind.

struct stored_calendar {
    std::string url;   // source; empty: it was uploaded
    std::string text;  // iCalendar
    // Time of the last fetch, and why the fetched text was rejected. Only with a URL.
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

// A recurring schedule. The query is resolved at each run.
struct stored_schedule {
    schedules::timing_text timing;
    std::string query;
    std::string function;
    std::string arguments;  // JSON array
    std::string missed = "skip";
    bool maintenance_only =
        true;  // systems with a maintenance schedule run it only within a window
    bool active = true;
    wall_time considered;          // runs up to this time are done or skipped
    rollout_options rollout = {};  // of the jobs that the runs create
    wall_time created = {};        // not set in records of older servers, like created_by
    std::string created_by = {};

    friend bool operator==(const stored_schedule& one, const stored_schedule& other);
};

struct stored_policy {
    bool emergency_override = true;  // may be disabled

    friend bool operator==(const stored_policy&, const stored_policy&) = default;
};

// Permission to start jobs outside of their window.
inline constexpr std::string_view override_permission = "windows.override";

std::string encode(const stored_calendar& calendar);
std::string encode(const maintenance_schedule_record& schedule);
std::string encode(const stored_schedule& schedule);
std::string encode(const stored_policy& policy);

// errc::corrupt for invalid documents.
result<stored_calendar> decode_calendar(std::string_view text);
result<maintenance_schedule_record> decode_maintenance(std::string_view text);
result<stored_schedule> decode_schedule(std::string_view text);
result<stored_policy> decode_policy(std::string_view text);

}  // namespace muster::windows
