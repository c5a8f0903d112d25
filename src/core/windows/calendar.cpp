#include "core/windows/calendar.h"

#include "core/windows/component.h"
#include "core/windows/event_reader.h"
#include "core/windows/vtimezone.h"

#include <utility>

namespace muster::windows {
namespace {

result<void> read_zones(const component& object, time_zone_lookup& lookup) {
    for (const auto& part : object.parts) {
        if (part.name != "VTIMEZONE") continue;
        TRY(auto zone, parse_vtimezone(part));
        const auto name = zone->name();
        lookup.calendar_zones[name] = std::move(zone);
        if (lookup.calendar_zones.size() > calendar_limits::zones_max)
            return fail(errc::invalid, "calendar has more than 64 VTIMEZONEs");
    }
    return {};
}

result<void> read_default_zone(const component& object, time_zone_lookup& lookup) {
    TRY(const auto* const line, object.find_one("X-WR-TIMEZONE"));
    if (line == nullptr || line->value.empty()) return {};
    content_line as_parameter = *line;
    as_parameter.parameters = {{"TZID", line->value}};
    TRY(lookup.default_zone, lookup.find(as_parameter));
    return {};
}

// An event with a RECURRENCE-ID replaces one occurrence of the event with the same UID.
void apply_replacements(std::vector<event>& events) {
    std::map<std::string_view, event*> originals;
    for (auto& event : events)
        if (!event.replaced_start && !event.uid.empty()) originals.emplace(event.uid, &event);
    for (const auto& event : events) {
        if (!event.replaced_start) continue;
        const auto it = originals.find(event.uid);
        if (it == originals.end()) continue;
        auto& original = *it->second;
        original.excluded_starts.insert(*event.replaced_start);
        if (original.extra_starts.erase(*event.replaced_start) > 0) continue;
        std::erase_if(original.extra_spans, [&](const event::span& span) {
            return span.begin == *event.replaced_start;
        });
    }
}

}  // namespace

result<calendar> calendar::parse(std::string_view text, const time_zone_source& zones) {
    TRY(const auto object, parse_calendar_object(text));
    time_zone_lookup lookup{
        .calendar_zones = {}, .source = zones, .default_zone = time_zone::utc()};
    CHECK_OK(read_zones(object, lookup));
    CHECK_OK(read_default_zone(object, lookup));
    std::vector<event> events;
    for (const auto& part : object.parts) {
        if (part.name != "VEVENT") continue;
        if (events.size() == calendar_limits::events_max)
            return fail(errc::invalid, "calendar has more than 2000 events");
        TRY(auto event, read_event(part, events.size() + 1, lookup));
        events.push_back(std::move(event));
    }
    apply_replacements(events);
    std::map<std::string, std::vector<event>> by_summary;
    for (const auto& event : events)
        if (!event.summary.empty()) by_summary[event.summary].push_back(event);
    calendar calendar;
    calendar.all_events_ = window_schedule(std::move(events));
    for (auto& [summary, group] : by_summary)
        calendar.by_summary_.emplace(summary, window_schedule(std::move(group)));
    return calendar;
}

std::set<std::string> calendar::summaries() const {
    std::set<std::string> summaries;
    for (const auto& [summary, schedule] : by_summary_) summaries.insert(summary);
    return summaries;
}

window_schedule calendar::events_named(std::string_view summary) const {
    const auto it = by_summary_.find(summary);
    return it == by_summary_.end() ? window_schedule() : it->second;
}

}  // namespace muster::windows
