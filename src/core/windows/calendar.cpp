#include "core/windows/calendar.h"

#include "core/windows/component.h"
#include "core/windows/event_reader.h"
#include "core/windows/vtimezone.h"

#include <utility>

namespace muster::windows {
namespace {

result<void> read_zones(const component& object, time_zone_lookup& into) {
    for (const auto& part : object.parts) {
        if (part.name != "VTIMEZONE") continue;
        TRY(auto zone, parse_vtimezone(part));
        const auto name = zone->name();
        into.own[name] = std::move(zone);
        if (into.own.size() > calendar_limits::zones_max)
            return fail(errc::invalid, "the calendar has more than 64 VTIMEZONEs");
    }
    return {};
}

result<void> read_floating(const component& object, time_zone_lookup& into) {
    TRY(const auto* const line, object.only("X-WR-TIMEZONE"));
    if (line == nullptr || line->value.empty()) return {};
    content_line as_parameter = *line;
    as_parameter.parameters = {{"TZID", line->value}};
    TRY(into.floating, into.find(as_parameter));
    return {};
}

// An event with a RECURRENCE-ID takes the place of one time of the event with the same UID.
void apply_replacements(std::vector<event>& events) {
    std::map<std::string_view, event*> originals;
    for (auto& each : events)
        if (!each.replaces && !each.uid.empty()) originals.emplace(each.uid, &each);
    for (const auto& each : events) {
        if (!each.replaces) continue;
        const auto it = originals.find(each.uid);
        if (it == originals.end()) continue;
        auto& original = *it->second;
        original.left_out.insert(*each.replaces);
        if (original.added.erase(*each.replaces) > 0) continue;
        std::erase_if(original.added_spans, [&](const event::span& span) {
            return span.begin == *each.replaces;
        });
    }
}

}  // namespace

result<calendar> calendar::parse(std::string_view text, const zone_source& zones) {
    TRY(const auto object, parse_calendar_object(text));
    time_zone_lookup finder{.own = {}, .others = zones, .floating = time_zone::utc()};
    CHECK_OK(read_zones(object, finder));
    CHECK_OK(read_floating(object, finder));
    std::vector<event> events;
    for (const auto& part : object.parts) {
        if (part.name != "VEVENT") continue;
        if (events.size() == calendar_limits::events_max)
            return fail(errc::invalid, "the calendar has more than 2000 events");
        TRY(auto result, read_event(part, events.size() + 1, finder));
        events.push_back(std::move(result));
    }
    apply_replacements(events);
    std::map<std::string, std::vector<event>> by_summary;
    for (const auto& each : events)
        if (!each.summary.empty()) by_summary[each.summary].push_back(each);
    calendar read;
    read.whole_ = timetable(std::move(events));
    for (auto& [summary, some] : by_summary)
        read.named_.emplace(summary, timetable(std::move(some)));
    return read;
}

std::set<std::string> calendar::names() const {
    std::set<std::string> matches;
    for (const auto& [summary, when] : named_) matches.insert(summary);
    return matches;
}

timetable calendar::named(std::string_view summary) const {
    const auto it = named_.find(summary);
    return it == named_.end() ? timetable() : it->second;
}

}  // namespace muster::windows
