#include "core/windows/event_reader.h"

#include <algorithm>
#include <utility>

namespace muster::windows {
namespace {

using std::chrono::days;

std::unexpected<error> invalid_line(const content_line& line, const std::string& text) {
    return fail(
        errc::invalid, "line " + std::to_string(line.number) + ": " + line.name + ": " + text);
}

template <class T>
result<T> with_line(const content_line& line, result<T> value) {
    if (value) return value;
    return invalid_line(line, value.error().detail());
}

// A moment and the time zone that applies to it.
struct zoned_moment {
    ical_moment moment;
    time_zone_pointer zone;

    sys_seconds utc() const { return zone->to_utc(moment.at); }
};

result<zoned_moment> read_moment(
    const content_line& line, std::string_view value, const time_zone_lookup& zones) {
    TRY(const auto moment, with_line(line, parse_moment(value)));
    const bool is_date = line.parameter("VALUE") == "DATE";
    if (is_date != moment.whole_day)
        return invalid_line(line, "value does not match VALUE=DATE; use ;VALUE=DATE:20261116");
    if (moment.utc) return zoned_moment{.moment = moment, .zone = time_zone::utc()};
    TRY(auto zone, zones.find(line));
    return zoned_moment{.moment = moment, .zone = std::move(zone)};
}

template <class Action>
result<void> for_each_value(const content_line& line, Action&& action) {
    std::string_view rest = line.value;
    while (true) {
        const auto comma = rest.find(',');
        CHECK_OK(action(rest.substr(0, comma)));
        if (comma == std::string_view::npos) return {};
        rest.remove_prefix(comma + 1);
    }
}

class event_reader {
public:
    event_reader(const windows::component& component, const time_zone_lookup& zones)
        : component_(component), zones_(zones) {}

    result<event> read() {
        event_.line = component_.line;
        CHECK_OK(read_names());
        CHECK_OK(read_start());
        CHECK_OK(read_end());
        CHECK_OK(read_rule());
        for (const auto* const line : component_.find_all("RDATE")) {
            CHECK_OK(read_extra_dates(*line));
        }
        for (const auto* const line : component_.find_all("EXDATE")) {
            CHECK_OK(read_excluded_dates(*line));
        }
        if (!component_.find_all("EXRULE").empty())
            return invalid_line(
                *component_.find_all("EXRULE").front(), "not supported; use EXDATE");
        CHECK_OK(read_replaced_start());
        return std::move(event_);
    }

private:
    result<void> read_names() {
        TRY(const auto* const uid, component_.find_one("UID"));
        if (uid != nullptr) event_.uid = uid->value;
        TRY(const auto* const summary, component_.find_one("SUMMARY"));
        if (summary != nullptr) {
            event_.summary = unescape(summary->value);
            if (event_.summary.size() > event_limits::name_bytes_max)
                return invalid_line(*summary, "longer than 128 bytes");
        }
        TRY(const auto* const status, component_.find_one("STATUS"));
        event_.cancelled = status != nullptr && status->value == "CANCELLED";
        return {};
    }

    result<void> read_start() {
        TRY(const auto* const line, component_.find_one("DTSTART"));
        if (line == nullptr) return fail(errc::invalid, "event has no DTSTART");
        TRY(auto start, read_moment(*line, line->value, zones_));
        event_.start = start.moment.at;
        event_.whole_day = start.moment.whole_day;
        event_.zone = std::move(start.zone);
        return {};
    }

    result<void> read_end() {
        TRY(const auto* const end, component_.find_one("DTEND"));
        TRY(const auto* const duration, component_.find_one("DURATION"));
        if (end != nullptr && duration != nullptr)
            return invalid_line(*duration, "cannot be combined with DTEND");
        if (end != nullptr) return read_end_time(*end);
        if (duration != nullptr) {
            TRY(event_.duration, with_line(*duration, parse_duration(duration->value)));
        } else if (event_.whole_day) {
            event_.duration.days = days(1);
        }
        const auto length = event_.duration.days + event_.duration.time;
        if (length <= seconds(0))
            return fail(errc::invalid, "event has no duration; add DTEND or DURATION");
        if (length > event_limits::length_max)
            return fail(errc::invalid, "event is longer than 366 days");
        return {};
    }

    result<void> read_end_time(const content_line& line) {
        TRY(const auto end, read_moment(line, line.value, zones_));
        if (end.moment.whole_day != event_.whole_day)
            return invalid_line(line, "must be a date or a time, as DTSTART is");
        const auto begin = event_.zone->to_utc(event_.start);
        if (event_.whole_day) {
            event_.duration.days = std::chrono::floor<days>(end.moment.at - event_.start);
        } else {
            event_.duration.time = end.utc() - begin;
        }
        const auto length = event_.duration.days + event_.duration.time;
        if (length <= seconds(0)) return invalid_line(line, "must be after DTSTART");
        if (length > event_limits::length_max)
            return invalid_line(line, "must be at most 366 days after DTSTART");
        return {};
    }

    result<void> read_rule() {
        TRY(const auto* const line, component_.find_one("RRULE"));
        if (line == nullptr) return {};
        auto rule = recurrence::parse(line->value);
        if (!rule)
            return fail(
                errc::invalid,
                "line " + std::to_string(line->number) + ": " + rule.error().detail());
        const bool has_time_part = !rule->hours.empty() || !rule->minutes.empty()
                                   || !rule->seconds.empty()
                                   || rule->every == recurrence::frequency::hourly;
        if (event_.whole_day && has_time_part)
            return invalid_line(*line, "a whole-day event cannot repeat by hour, minute or second");
        event_.rule = *std::move(rule);
        return {};
    }

    result<void> check_date_count(const content_line& line) const {
        const auto count = event_.extra_starts.size() + event_.extra_spans.size()
                           + event_.excluded_starts.size() + event_.excluded_days.size();
        if (count <= event_limits::dates_max) return {};
        return invalid_line(line, "the event has more than 5000 single dates");
    }

    result<void> read_extra_dates(const content_line& line) {
        const bool periods = line.parameter("VALUE") == "PERIOD";
        CHECK_OK(for_each_value(line, [&](std::string_view value) -> result<void> {
            if (periods) return read_period(line, value);
            TRY(const auto date, read_moment(line, value, zones_));
            if (date.moment.whole_day != event_.whole_day)
                return invalid_line(line, "must be dates or times, as DTSTART is");
            event_.extra_starts.insert(date.utc());
            return {};
        }));
        return check_date_count(line);
    }

    // "20261116T220000Z/PT4H" or "…/20261117T020000Z"
    result<void> read_period(const content_line& line, std::string_view value) {
        const auto slash = value.find('/');
        if (slash == std::string_view::npos) return invalid_line(line, "PERIOD must be START/END");
        TRY(const auto begin_moment, with_line(line, parse_moment(value.substr(0, slash))));
        TRY(const auto zone,
            begin_moment.utc ? result<time_zone_pointer>(time_zone::utc()) : zones_.find(line));
        const auto begin = zone->to_utc(begin_moment.at);
        const auto rest = value.substr(slash + 1);
        event::span span{.begin = begin, .end = begin};
        if (rest.starts_with('P')) {
            TRY(const auto duration, with_line(line, parse_duration(rest)));
            span.end = zone->to_utc(begin_moment.at + duration.days) + duration.time;
        } else {
            TRY(const auto end, with_line(line, parse_moment(rest)));
            span.end = end.utc ? sys_seconds(end.at.time_since_epoch()) : zone->to_utc(end.at);
        }
        if (span.end <= span.begin || span.end - span.begin > event_limits::length_max)
            return invalid_line(line, "PERIOD must end after its start, within 366 days");
        event_.extra_spans.push_back(span);
        return {};
    }

    result<void> read_excluded_dates(const content_line& line) {
        CHECK_OK(for_each_value(line, [&](std::string_view value) -> result<void> {
            TRY(const auto date, read_moment(line, value, zones_));
            if (date.moment.whole_day) {
                event_.excluded_days.insert(date.moment.at);
            } else {
                event_.excluded_starts.insert(date.utc());
            }
            return {};
        }));
        return check_date_count(line);
    }

    result<void> read_replaced_start() {
        TRY(const auto* const line, component_.find_one("RECURRENCE-ID"));
        if (line == nullptr) return {};
        if (line->parameter("RANGE"))
            return invalid_line(
                *line, "RANGE is not supported; end the old event with UNTIL and add a new event");
        if (event_.uid.empty()) return invalid_line(*line, "requires a UID");
        TRY(const auto moment, read_moment(*line, line->value, zones_));
        event_.replaced_start = moment.utc();
        return {};
    }

    const component& component_;
    const time_zone_lookup& zones_;
    event event_;
};

}  // namespace

result<time_zone_pointer> time_zone_lookup::find(const content_line& line) const {
    const auto name = line.parameter("TZID");
    if (!name) return default_zone;
    const auto it = calendar_zones.find(*name);
    if (it != calendar_zones.end()) return it->second;
    auto zone = source(*name);
    if (zone || zone.error().code() != errc::not_found) return zone;
    return invalid_line(
        line,
        "time zone \"" + std::string(*name)
            + "\" not found; add a VTIMEZONE or use an IANA name such as Europe/Berlin");
}

result<event> read_event(
    const windows::component& component, std::size_t number, const time_zone_lookup& zones) {
    auto event = event_reader(component, zones).read();
    if (event) return event;
    const auto location =
        "event " + std::to_string(number) + " (line " + std::to_string(component.line) + ")";
    return fail(event.error().with_context(location));
}

}  // namespace muster::windows
