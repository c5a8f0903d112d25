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

template <class Kept>
const window_record* row_in(const std::map<std::string, Kept>& of, const std::string& name) {
    const auto it = of.find(name);
    return it == of.end() ? nullptr : &it->second.row;
}

}  // namespace

const window_record* window_snapshot::row_of(record_kind kind, const std::string& name) const {
    const auto gone = removed.find(removed_key(kind, name));
    if (gone != removed.end()) return &gone->second;
    switch (kind) {
        case record_kind::calendar:
            return row_in(calendars, name);
        case record_kind::maintenance:
            return row_in(maintenance, name);
        case record_kind::assignment:
            return row_in(parts, name);
        case record_kind::schedule:
            return row_in(schedules, name);
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

std::optional<std::string> window_snapshot::schedule_of(system_number system_number) const {
    const auto part = parts.find(part_name(system_number));
    if (part == parts.end()) return std::nullopt;
    for (const auto& [name, systems] : *part->second.sets)
        if (systems.contains(system_number)) return name;
    return std::nullopt;
}

fleet::system_set window_snapshot::systems_of(const std::string& schedule) const {
    fleet::system_set all;
    for (const auto& [part, kept] : parts) {
        const auto it = kept.sets->find(schedule);
        if (it != kept.sets->end()) all |= it->second;
    }
    return all;
}

std::map<std::string, std::size_t> window_snapshot::systems_by_schedule() const {
    std::map<std::string, std::size_t> counts;
    for (const auto& [part, kept] : parts)
        for (const auto& [name, systems] : *kept.sets) counts[name] += systems.size();
    return counts;
}

timetable window_snapshot::when(const std::string& schedule) const {
    const auto it = maintenance.find(schedule);
    return it == maintenance.end() ? timetable() : it->second.when;
}

result<fleet::system_set> window_snapshot::in_window(wall_time now) const {
    fleet::system_set all;
    for (const auto& [name, kept] : maintenance) {
        TRY(const auto open, kept.when.open_at(now));
        if (open) all |= systems_of(name);
    }
    return all;
}

std::map<std::string, fleet::system_set> window_snapshot::grouped(
    const fleet::system_set& systems) const {
    std::map<std::string, fleet::system_set> groups;
    auto rest = systems;
    for (const auto& [part, kept] : parts) {
        for (const auto& [name, members] : *kept.sets) {
            auto common = systems & members;
            if (common.empty()) continue;
            rest -= common;
            groups[name] |= common;
        }
    }
    if (!rest.empty()) groups[""] = std::move(rest);
    return groups;
}

std::vector<std::pair<std::string, schedules::due_answer>> window_snapshot::due(
    wall_time now) const {
    std::vector<std::pair<std::string, schedules::due_answer>> matches;
    for (const auto& [name, kept] : schedules) {
        const auto missed = schedules::parse_missed_runs(kept.stored.missed);
        auto answer = schedules::due(
            {.when = kept.when,
             .missed = missed.value_or(schedules::missed_runs::skip),
             .active = kept.stored.active,
             .considered = kept.stored.considered},
            now);
        if (answer.considered != kept.stored.considered)
            matches.emplace_back(name, std::move(answer));
    }
    return matches;
}

result<void> window_snapshot::apply_calendar(const window_record& row, const zone_source& zones) {
    TRY(auto stored, decode_calendar(row.document));
    TRY(auto read, calendar::parse(stored.text, zones));
    calendars[row.name] = {
        .stored = std::make_shared<const stored_calendar>(std::move(stored)),
        .read = std::make_shared<const calendar>(std::move(read)),
        .row = without_content(row)};
    connect_all(row.name);
    return {};
}

void window_snapshot::connect(const std::string& schedule) {
    auto& stored = maintenance.at(schedule);
    const auto it = calendars.find(stored.stored.calendar);
    if (stored.stored.type == "none" || it == calendars.end()) {
        stored.when = timetable();
    } else if (stored.stored.type == "multi") {
        stored.when = it->second.read->named(schedule);
    } else {
        stored.when = it->second.read->whole();
    }
}

void window_snapshot::connect_all(const std::string& calendar) {
    for (const auto& [name, kept] : maintenance)
        if (kept.stored.calendar == calendar) connect(name);
}

result<void> window_snapshot::apply_maintenance(const window_record& row) {
    TRY(auto stored, decode_maintenance(row.document));
    maintenance[row.name] = {.stored = std::move(stored), .when = {}, .row = without_content(row)};
    connect(row.name);
    return {};
}

result<void> window_snapshot::apply_assignment(const window_record& row) {
    TRY(auto sets, decode_assignment(row.members));
    parts[row.name] = {
        .sets = std::make_shared<const assignment>(std::move(sets)), .row = without_content(row)};
    return {};
}

result<void> window_snapshot::apply_schedule(const window_record& row, const zone_source& zones) {
    TRY(auto stored, decode_schedule(row.document));
    TRY(auto when, schedules::parse_timing(stored.timing, zones));
    kept_schedule kept_schedule{
        .stored = std::move(stored), .when = std::move(when), .row = without_content(row)};
    schedules.insert_or_assign(row.name, std::move(kept_schedule));
    return {};
}

result<void> window_snapshot::apply_policy(const window_record& row) {
    TRY(policy, decode_policy(row.document));
    policy_row = without_content(row);
    return {};
}

void window_snapshot::forget(const window_record& row) {
    if (row.kind == record_kind::calendar && calendars.erase(row.name) > 0) connect_all(row.name);
    if (row.kind == record_kind::maintenance) maintenance.erase(row.name);
    if (row.kind == record_kind::schedule) schedules.erase(row.name);
    removed[removed_key(row.kind, row.name)] = row;
}

result<void> window_snapshot::apply_content(const window_record& row, const zone_source& zones) {
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

result<void> window_snapshot::apply(const window_record& row, const zone_source& zones) {
    if (row.version <= version_of(row.kind, row.name)) return {};  // what we know is newer
    if (row.removed()) {
        forget(row);
        return {};
    }
    CHECK_OK(apply_content(row, zones));
    removed.erase(removed_key(row.kind, row.name));
    return {};
}

}  // namespace muster::windows
