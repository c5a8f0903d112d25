#include "services/windows/window_snapshot.h"

#include <algorithm>
#include <utility>

namespace muster::windows {
namespace {

std::string removed_key(record_kind kind, const std::string& name) {
    return std::string(to_string(kind)) + "/" + name;
}

window_record without_content(window_record row) {
    row.document.clear();
    row.members.clear();
    return row;
}

template <class Parsed>
const window_record* find_row(
    const std::map<std::string, Parsed>& records, const std::string& name) {
    const auto it = records.find(name);
    return it == records.end() ? nullptr : &it->second.row;
}

}  // namespace

const window_record* window_snapshot::row_of(record_kind kind, const std::string& name) const {
    const auto it = removed.find(removed_key(kind, name));
    if (it != removed.end()) return &it->second;
    switch (kind) {
        case record_kind::calendar:
            return find_row(calendars, name);
        case record_kind::maintenance:
            return find_row(maintenance, name);
        case record_kind::assignment:
            return find_row(parts, name);
        case record_kind::schedule:
            return find_row(schedules, name);
        case record_kind::policy:
            return policy_row.version == 0 ? nullptr : &policy_row;
    }
    return nullptr;
}

std::int64_t window_snapshot::version_of(record_kind kind, const std::string& name) const {
    const auto* const row = row_of(kind, name);
    return row == nullptr ? 0 : row->version;
}

bool window_snapshot::is_removed(record_kind kind, const std::string& name) const {
    return removed.contains(removed_key(kind, name));
}

std::size_t window_snapshot::count(record_kind kind) const {
    switch (kind) {
        case record_kind::calendar:
            return calendars.size();
        case record_kind::maintenance:
            return maintenance.size();
        case record_kind::assignment:
            return parts.size();
        case record_kind::schedule:
            return schedules.size();
        case record_kind::policy:
            return 0;
    }
    return 0;
}

std::optional<std::string> window_snapshot::schedule_of(system_number system) const {
    const auto part = parts.find(part_name(system));
    if (part == parts.end()) return std::nullopt;
    for (const auto& [name, systems] : *part->second.sets)
        if (systems.contains(system)) return name;
    return std::nullopt;
}

fleet::system_set window_snapshot::systems_of(const std::string& schedule) const {
    fleet::system_set systems;
    for (const auto& [name, part] : parts) {
        const auto it = part.sets->find(schedule);
        if (it != part.sets->end()) systems |= it->second;
    }
    return systems;
}

std::map<std::string, std::size_t> window_snapshot::systems_by_schedule() const {
    std::map<std::string, std::size_t> counts;
    for (const auto& [part_name, part] : parts)
        for (const auto& [schedule, systems] : *part.sets) counts[schedule] += systems.size();
    return counts;
}

window_schedule window_snapshot::windows_of(const std::string& schedule) const {
    const auto it = maintenance.find(schedule);
    return it == maintenance.end() ? window_schedule() : it->second.windows;
}

result<fleet::system_set> window_snapshot::systems_in_window(wall_time now) const {
    fleet::system_set systems;
    for (const auto& [name, schedule] : maintenance) {
        TRY(const auto open, schedule.windows.open_at(now));
        if (open) systems |= systems_of(name);
    }
    return systems;
}

std::map<std::string, fleet::system_set> window_snapshot::group_by_schedule(
    const fleet::system_set& systems) const {
    std::map<std::string, fleet::system_set> groups;
    auto rest = systems;
    for (const auto& [part_name, part] : parts) {
        for (const auto& [schedule, members] : *part.sets) {
            auto common = systems & members;
            if (common.empty()) continue;
            rest -= common;
            groups[schedule] |= common;
        }
    }
    if (!rest.empty()) groups[""] = std::move(rest);
    return groups;
}

std::vector<std::pair<std::string, schedules::due_result>> window_snapshot::find_due(
    wall_time now) const {
    std::vector<std::pair<std::string, schedules::due_result>> due_schedules;
    for (const auto& [name, schedule] : schedules) {
        const auto missed = schedules::parse_missed_runs(schedule.stored.missed);
        auto due = schedules::find_due_run(
            {.timing = schedule.timing,
             .missed = missed.value_or(schedules::missed_runs::skip),
             .active = schedule.stored.active,
             .considered = schedule.stored.considered},
            now);
        if (due.considered != schedule.stored.considered)
            due_schedules.emplace_back(name, std::move(due));
    }
    return due_schedules;
}

result<void> window_snapshot::apply_calendar(
    const window_record& row, const time_zone_source& zones) {
    TRY(auto stored, decode_calendar(row.document));
    TRY(auto parsed, calendar::parse(stored.text, zones));
    calendars[row.name] = {
        .stored = std::make_shared<const stored_calendar>(std::move(stored)),
        .parsed = std::make_shared<const calendar>(std::move(parsed)),
        .row = without_content(row)};
    update_windows_of_calendar(row.name);
    return {};
}

void window_snapshot::update_windows(const std::string& schedule) {
    auto& entry = maintenance.at(schedule);
    const auto it = calendars.find(entry.stored.calendar);
    if (entry.stored.type == "none" || it == calendars.end()) {
        entry.windows = window_schedule();
    } else if (entry.stored.type == "multi") {
        entry.windows = it->second.parsed->events_named(schedule);
    } else {
        entry.windows = it->second.parsed->all_events();
    }
}

void window_snapshot::update_windows_of_calendar(const std::string& calendar) {
    for (const auto& [name, schedule] : maintenance)
        if (schedule.stored.calendar == calendar) update_windows(name);
}

result<void> window_snapshot::apply_maintenance(const window_record& row) {
    TRY(auto stored, decode_maintenance(row.document));
    maintenance[row.name] = {
        .stored = std::move(stored), .windows = {}, .row = without_content(row)};
    update_windows(row.name);
    return {};
}

result<void> window_snapshot::apply_assignment(const window_record& row) {
    TRY(auto sets, decode_assignment(row.members));
    parts[row.name] = {
        .sets = std::make_shared<const assignment>(std::move(sets)), .row = without_content(row)};
    return {};
}

result<void> window_snapshot::apply_schedule(
    const window_record& row, const time_zone_source& zones) {
    TRY(auto stored, decode_schedule(row.document));
    TRY(auto timing, schedules::parse_timing(stored.timing, zones));
    parsed_schedule parsed{
        .stored = std::move(stored), .timing = std::move(timing), .row = without_content(row)};
    schedules.insert_or_assign(row.name, std::move(parsed));
    return {};
}

result<void> window_snapshot::apply_policy(const window_record& row) {
    TRY(policy, decode_policy(row.document));
    policy_row = without_content(row);
    return {};
}

void window_snapshot::apply_removal(const window_record& row) {
    if (row.kind == record_kind::calendar && calendars.erase(row.name) > 0)
        update_windows_of_calendar(row.name);
    if (row.kind == record_kind::maintenance) maintenance.erase(row.name);
    if (row.kind == record_kind::schedule) schedules.erase(row.name);
    removed[removed_key(row.kind, row.name)] = row;
}

result<void> window_snapshot::apply_content(
    const window_record& row, const time_zone_source& zones) {
    switch (row.kind) {
        case record_kind::calendar:
            return apply_calendar(row, zones);
        case record_kind::maintenance:
            return apply_maintenance(row);
        case record_kind::assignment:
            return apply_assignment(row);
        case record_kind::schedule:
            return apply_schedule(row, zones);
        case record_kind::policy:
            return apply_policy(row);
    }
    return {};
}

result<void> window_snapshot::apply(const window_record& row, const time_zone_source& zones) {
    if (row.version <= version_of(row.kind, row.name)) return {};  // an older row
    if (row.is_removed()) {
        apply_removal(row);
        return {};
    }
    CHECK_OK(apply_content(row, zones));
    removed.erase(removed_key(row.kind, row.name));
    return {};
}

}  // namespace muster::windows
