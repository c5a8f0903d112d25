#pragma once

#include "core/fleet/system_set.h"
#include "core/schedules/schedule.h"
#include "core/windows/calendar.h"
#include "core/windows/window_schedule.h"
#include "services/windows/stored_definition.h"
#include "services/windows/window_record.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::windows {

// All window records at one moment, parsed. Immutable once published.
struct window_snapshot {
    struct parsed_calendar {
        std::shared_ptr<const stored_calendar> stored;
        std::shared_ptr<const calendar> parsed;
        window_record row;  // without its document
    };
    struct parsed_maintenance {
        maintenance_schedule_record stored;
        window_schedule windows;  // of the current calendar; empty without a calendar
        window_record row;
    };
    struct parsed_schedule {
        stored_schedule stored;
        schedules::timing timing;
        window_record row;
    };
    struct assignment_part {
        std::shared_ptr<const assignment> sets;
        window_record row;
    };

    std::map<std::string, parsed_calendar> calendars;       // by label
    std::map<std::string, parsed_maintenance> maintenance;  // by name
    std::map<std::string, parsed_schedule> schedules;       // by name
    std::map<std::string, assignment_part> parts;           // by part_name()
    stored_policy policy;
    window_record policy_row;
    std::map<std::string, window_record> removed;  // by kind and name

    // The version of the row, also of a removed row; zero if it does not exist.
    std::int64_t version_of(record_kind kind, const std::string& name) const;

    bool is_removed(record_kind kind, const std::string& name) const;
    // The row without its content, also of a removed row; null if it does not exist.
    const window_record* row_of(record_kind kind, const std::string& name) const;
    std::size_t count(record_kind kind) const;

    // The maintenance schedule of a system; empty if the system may be changed at any time.
    std::optional<std::string> schedule_of(system_number system) const;
    fleet::system_set systems_of(const std::string& schedule) const;
    std::map<std::string, std::size_t> systems_by_schedule() const;

    // The windows of a maintenance schedule; empty for an unknown schedule.
    window_schedule windows_of(const std::string& schedule) const;

    // Systems with an open window.
    result<fleet::system_set> systems_in_window(wall_time now) const;

    // Groups systems by maintenance schedule. Systems without a schedule have an empty key.
    std::map<std::string, fleet::system_set> group_by_schedule(
        const fleet::system_set& systems) const;

    // Recurring schedules with due or missed runs.
    std::vector<std::pair<std::string, schedules::due_result>> find_due(wall_time now) const;

    // Applies a row. errc::corrupt for an unreadable row; the snapshot is unchanged then.
    result<void> apply(const window_record& row, const time_zone_source& zones);

private:
    result<void> apply_content(const window_record& row, const time_zone_source& zones);
    result<void> apply_calendar(const window_record& row, const time_zone_source& zones);
    result<void> apply_maintenance(const window_record& row);
    result<void> apply_assignment(const window_record& row);
    result<void> apply_schedule(const window_record& row, const time_zone_source& zones);
    result<void> apply_policy(const window_record& row);
    void apply_removal(const window_record& row);
    // Sets the windows of one schedule, or of all schedules of one calendar.
    void update_windows(const std::string& schedule);
    void update_windows_of_calendar(const std::string& calendar);
};

}  // namespace muster::windows
