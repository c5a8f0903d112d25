#pragma once

#include "core/fleet/system_set.h"
#include "core/schedules/schedule.h"
#include "core/windows/calendar.h"
#include "core/windows/timetable.h"
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

// All window records as they were at one moment, understood. Immutable once it is published.
struct window_snapshot {
    struct parsed_calendar {
        std::shared_ptr<const stored_calendar> stored;
        std::shared_ptr<const calendar> read;
        window_record row;  // without its document
    };
    struct kept_maintenance {
        maintenance_schedule_record stored;
        timetable when;  // of the calendar as it is now; none without it
        window_record row;
    };
    struct kept_schedule {
        stored_schedule stored;
        schedules::timing when;
        window_record row;
    };
    struct kept_part {
        std::shared_ptr<const assignment> sets;
        window_record row;
    };

    std::map<std::string, parsed_calendar> calendars;     // by label
    std::map<std::string, kept_maintenance> maintenance;  // by name
    std::map<std::string, kept_schedule> schedules;       // by name
    std::map<std::string, kept_part> parts;               // by part_name()
    stored_policy policy;
    window_record policy_row;
    std::map<std::string, window_record> removed;  // by kind and name

    // The version of the row, also of a removed one; zero when there is none.
    std::int64_t version_of(record_kind kind, const std::string& name) const;

    bool is_removed(record_kind kind, const std::string& name) const;
    // The row without its content, also of a removed one; null when there is none.
    const window_record* row_of(record_kind kind, const std::string& name) const;
    std::size_t count(record_kind kind) const;

    // The maintenance schedule of a system; nothing: it may be changed at any time.
    std::optional<std::string> schedule_of(system_number system_number) const;
    fleet::system_set systems_of(const std::string& schedule) const;
    std::map<std::string, std::size_t> systems_by_schedule() const;

    // The windows of a maintenance schedule; none if there is no such.
    timetable when(const std::string& schedule) const;

    // Systems whose window is open.
    result<fleet::system_set> in_window(wall_time now) const;

    // A set cut into those with the same maintenance schedule; the name is empty for those without.
    std::map<std::string, fleet::system_set> grouped(const fleet::system_set& systems) const;

    // What is due of each recurring schedule that has something due.
    std::vector<std::pair<std::string, schedules::due_answer>> due(wall_time now) const;

    // Takes a row in. errc::corrupt, with nothing changed, when it cannot be understood.
    result<void> apply(const window_record& row, const zone_source& zones);

private:
    result<void> apply_content(const window_record& row, const zone_source& zones);
    result<void> apply_calendar(const window_record& row, const zone_source& zones);
    result<void> apply_maintenance(const window_record& row);
    result<void> apply_assignment(const window_record& row);
    result<void> apply_schedule(const window_record& row, const zone_source& zones);
    result<void> apply_policy(const window_record& row);
    void forget(const window_record& row);
    void connect(const std::string& schedule);  // with its calendar
    void connect_all(const std::string& calendar);
};

}  // namespace muster::windows
