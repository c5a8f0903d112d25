#include "core/windows/event_reader.h"

#include <algorithm>
#include <utility>

namespace muster::windows {
namespace {

using std::chrono::days;

std::unexpected<error> wrong(const content_line& line, const std::string& text) {
    return fail(
        errc::invalid, "line " + std::to_string(line.number) + ": " + line.name + ": " + text);
}

template <class T>
result<T> at_line(const content_line& line, result<T> read) {
    if (read) return read;
    return wrong(line, read.error().detail());
}

// A moment with the zone it is read in.
struct placed {
    ical_moment written;
    zone_pointer zone;

    sys_seconds utc() const { return zone->utc_of(written.at); }
};

result<placed> read_moment(
    const content_line& line, std::string_view value, const time_zone_lookup& zones) {
    TRY(const auto moment, at_line(line, parse_moment(value)));
    const bool as_date = line.parameter("VALUE") == "DATE";
    if (as_date != moment.whole_day)
        return wrong(line, "VALUE=DATE and the value do not fit; write ;VALUE=DATE:20261116");
    if (moment.utc) return placed{.written = moment, .zone = time_zone::utc()};
    TRY(auto zone, zones.find(line));
    return placed{.written = moment, .zone = std::move(zone)};
}

template <class Each>
result<void> each_value(const content_line& line, Each&& each) {
    std::string_view rest = line.value;
    while (true) {
        const auto comma = rest.find(',');
        CHECK_OK(each(rest.substr(0, comma)));
        if (comma == std::string_view::npos) return {};
        rest.remove_prefix(comma + 1);
    }
}

class event_reader {
public:
    event_reader(const component& from, const time_zone_lookup& zones)
        : from_(from), zones_(zones) {}

    result<event> read() {
        made_.line = from_.line;
        CHECK_OK(read_names());
        CHECK_OK(read_start());
        CHECK_OK(read_end());
        CHECK_OK(read_rule());
        for (const auto* const line : from_.all("RDATE")) {
            CHECK_OK(read_added(*line));
        }
        for (const auto* const line : from_.all("EXDATE")) {
            CHECK_OK(read_left_out(*line));
        }
        if (!from_.all("EXRULE").empty())
            return wrong(*from_.all("EXRULE").front(), "is not known any more; use EXDATE");
        CHECK_OK(read_replaced());
        return std::move(made_);
    }

private:
    result<void> read_names() {
        TRY(const auto* const uid, from_.only("UID"));
        if (uid != nullptr) made_.uid = uid->value;
        TRY(const auto* const summary, from_.only("SUMMARY"));
        if (summary != nullptr) {
            made_.summary = unescaped(summary->value);
            if (made_.summary.size() > event_limits::name_bytes_max)
                return wrong(*summary, "longer than 128 bytes");
        }
        TRY(const auto* const status, from_.only("STATUS"));
        made_.cancelled = status != nullptr && status->value == "CANCELLED";
        return {};
    }

    result<void> read_start() {
        TRY(const auto* const line, from_.only("DTSTART"));
        if (line == nullptr) return fail(errc::invalid, "it has no DTSTART");
        TRY(auto start, read_moment(*line, line->value, zones_));
        made_.start = start.written.at;
        made_.whole_day = start.written.whole_day;
        made_.zone = std::move(start.zone);
        return {};
    }

    result<void> read_end() {
        TRY(const auto* const end, from_.only("DTEND"));
        TRY(const auto* const lasts, from_.only("DURATION"));
        if (end != nullptr && lasts != nullptr) return wrong(*lasts, "not beside DTEND");
        if (end != nullptr) return read_end_moment(*end);
        if (lasts != nullptr) {
            TRY(made_.lasts, at_line(*lasts, parse_duration(lasts->value)));
        } else if (made_.whole_day) {
            made_.lasts.days = days(1);
        }
        const auto length = made_.lasts.days + made_.lasts.time;
        if (length <= seconds(0))
            return fail(errc::invalid, "it lasts no time; give it a DTEND or a DURATION");
        if (length > event_limits::length_max)
            return fail(errc::invalid, "it lasts longer than 366 days");
        return {};
    }

    result<void> read_end_moment(const content_line& line) {
        TRY(const auto end, read_moment(line, line.value, zones_));
        if (end.written.whole_day != made_.whole_day)
            return wrong(line, "must be a date if DTSTART is one, and a time if that is one");
        const auto begin = made_.zone->utc_of(made_.start);
        if (made_.whole_day) {
            made_.lasts.days = std::chrono::floor<days>(end.written.at - made_.start);
        } else {
            made_.lasts.time = end.utc() - begin;
        }
        const auto length = made_.lasts.days + made_.lasts.time;
        if (length <= seconds(0)) return wrong(line, "is not after DTSTART");
        if (length > event_limits::length_max) return wrong(line, "is more than 366 days later");
        return {};
    }

    result<void> read_rule() {
        TRY(const auto* const line, from_.only("RRULE"));
        if (line == nullptr) return {};
        auto rule = recurrence::parse(line->value);
        if (!rule)
            return fail(
                errc::invalid,
                "line " + std::to_string(line->number) + ": " + rule.error().detail());
        const bool by_time = !rule->hours.empty() || !rule->minutes.empty()
                             || !rule->seconds.empty()
                             || rule->every == recurrence::frequency::hourly;
        if (made_.whole_day && by_time)
            return wrong(*line, "a whole-day event cannot repeat by hour, minute or second");
        made_.rule = *std::move(rule);
        return {};
    }

    result<void> check_count(const content_line& line) const {
        const auto count = made_.added.size() + made_.added_spans.size() + made_.left_out.size()
                           + made_.days_left_out.size();
        if (count <= event_limits::dates_max) return {};
        return wrong(line, "the event has more than 5000 single dates");
    }

    result<void> read_added(const content_line& line) {
        const bool periods = line.parameter("VALUE") == "PERIOD";
        CHECK_OK(each_value(line, [&](std::string_view value) -> result<void> {
            if (periods) return read_period(line, value);
            TRY(const auto moment, read_moment(line, value, zones_));
            if (moment.written.whole_day != made_.whole_day)
                return wrong(line, "must be dates if DTSTART is one, and times if that is one");
            made_.added.insert(moment.utc());
            return {};
        }));
        return check_count(line);
    }

    // "20261116T220000Z/PT4H" or "…/20261117T020000Z"
    result<void> read_period(const content_line& line, std::string_view value) {
        const auto slash = value.find('/');
        if (slash == std::string_view::npos) return wrong(line, "a PERIOD is START/END");
        TRY(const auto begin_moment, at_line(line, parse_moment(value.substr(0, slash))));
        TRY(const auto zone,
            begin_moment.utc ? result<zone_pointer>(time_zone::utc()) : zones_.find(line));
        const auto begin = zone->utc_of(begin_moment.at);
        const auto rest = value.substr(slash + 1);
        event::span span{.begin = begin, .end = begin};
        if (rest.starts_with('P')) {
            TRY(const auto lasts, at_line(line, parse_duration(rest)));
            span.end = zone->utc_of(begin_moment.at + lasts.days) + lasts.time;
        } else {
            TRY(const auto end, at_line(line, parse_moment(rest)));
            span.end = end.utc ? sys_seconds(end.at.time_since_epoch()) : zone->utc_of(end.at);
        }
        if (span.end <= span.begin || span.end - span.begin > event_limits::length_max)
            return wrong(line, "a PERIOD ends after its beginning, within 366 days");
        made_.added_spans.push_back(span);
        return {};
    }

    result<void> read_left_out(const content_line& line) {
        CHECK_OK(each_value(line, [&](std::string_view value) -> result<void> {
            TRY(const auto moment, read_moment(line, value, zones_));
            if (moment.written.whole_day) {
                made_.days_left_out.insert(moment.written.at);
            } else {
                made_.left_out.insert(moment.utc());
            }
            return {};
        }));
        return check_count(line);
    }

    result<void> read_replaced() {
        TRY(const auto* const line, from_.only("RECURRENCE-ID"));
        if (line == nullptr) return {};
        if (line->parameter("RANGE"))
            return wrong(
                *line, "RANGE is not known; end the old event with UNTIL and add a new one");
        if (made_.uid.empty()) return wrong(*line, "needs a UID, to say of which event");
        TRY(const auto moment, read_moment(*line, line->value, zones_));
        made_.replaces = moment.utc();
        return {};
    }

    const component& from_;
    const time_zone_lookup& zones_;
    event made_;
};

}  // namespace

result<zone_pointer> time_zone_lookup::find(const content_line& line) const {
    const auto name = line.parameter("TZID");
    if (!name) return floating;
    const auto it = own.find(*name);
    if (it != own.end()) return it->second;
    auto match = others(*name);
    if (match || match.error().code() != errc::not_found) return match;
    return wrong(
        line,
        "the zone " + std::string(*name)
            + " is neither described by a VTIMEZONE here nor an IANA zone such as Europe/Berlin");
}

result<event> read_event(const component& from, std::size_t number, const time_zone_lookup& zones) {
    auto read = event_reader(from, zones).read();
    if (read) return read;
    const auto where =
        "event " + std::to_string(number) + " (line " + std::to_string(from.line) + ")";
    return fail(read.error().within(where));
}

}  // namespace muster::windows
