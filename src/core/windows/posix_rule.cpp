#include "core/windows/posix_rule.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace muster::windows {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::January;
using std::chrono::last;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::month;
using std::chrono::weekday;
using std::chrono::year;

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}
bool is_alpha(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

// The day of a year on which the clocks change, and the local time on it.
struct change_day {
    enum class kind { month_week_weekday, julian, day_of_year } form = kind::day_of_year;
    int month_number = 0;
    int week = 0;
    int weekday_number = 0;
    int day = 0;
    seconds at = hours(2);
};

class rule_reader {
public:
    explicit rule_reader(std::string_view text) : rest_(text) {}

    bool is_at_end() const { return rest_.empty(); }
    bool has_failed() const { return failed_; }

    bool consume(char letter) {
        if (rest_.empty() || rest_.front() != letter) return false;
        rest_.remove_prefix(1);
        return true;
    }

    void skip_name() {
        if (consume('<')) {
            const auto end = rest_.find('>');
            if (end == std::string_view::npos) return mark_failed();
            rest_.remove_prefix(end + 1);
            return;
        }
        const auto* const end = std::ranges::find_if_not(rest_, is_alpha);
        if (end - rest_.begin() < 3) return mark_failed();
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.begin()));
    }

    int read_integer(int min, int max) {
        int value = 0;
        const auto parsed = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (parsed.ec != std::errc() || value < min || value > max) {
            mark_failed();
            return min;
        }
        rest_.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest_.data()));
        return value;
    }

    // [+-]hh[:mm[:ss]]
    seconds read_time() {
        const bool negative = consume('-');
        if (!negative) consume('+');
        seconds value = hours(read_integer(0, 167));
        if (consume(':')) value += minutes(read_integer(0, 59));
        if (consume(':')) value += seconds(read_integer(0, 59));
        return negative ? -value : value;
    }

    change_day read_day() {
        change_day result;
        if (!consume(',')) mark_failed();
        if (consume('M')) {
            result.form = change_day::kind::month_week_weekday;
            result.month_number = read_integer(1, 12);
            if (!consume('.')) mark_failed();
            result.week = read_integer(1, 5);
            if (!consume('.')) mark_failed();
            result.weekday_number = read_integer(0, 6);
        } else if (consume('J')) {
            result.form = change_day::kind::julian;
            result.day = read_integer(1, 365);
        } else {
            result.day = read_integer(0, 365);
        }
        if (consume('/')) result.at = read_time();
        return result;
    }

    bool is_at_number() const {
        return !rest_.empty()
               && (is_digit(rest_.front()) || rest_.front() == '-' || rest_.front() == '+');
    }

private:
    void mark_failed() {
        failed_ = true;
        rest_ = {};
    }

    std::string_view rest_;
    bool failed_ = false;
};

local_days to_date(const change_day& change, year year) {
    const auto new_year = local_days(year / January / 1);
    switch (change.form) {
        case change_day::kind::day_of_year:
            return new_year + days(change.day);
        case change_day::kind::julian: {
            // The Julian form never counts 29 February.
            const bool after_february = year.is_leap() && change.day >= 60;
            return new_year + days(change.day - (after_february ? 0 : 1));
        }
        case change_day::kind::month_week_weekday:
            break;
    }
    const auto change_month = month(static_cast<unsigned>(change.month_number));
    const auto change_weekday = weekday(static_cast<unsigned>(change.weekday_number));
    if (change.week == 5) return local_days(year / change_month / change_weekday[last]);
    return local_days(year / change_month / change_weekday[static_cast<unsigned>(change.week)]);
}

}  // namespace

result<std::vector<time_zone::change>> expand_posix_rule(std::string_view rule, year first_year) {
    rule_reader reader(rule);
    reader.skip_name();
    const seconds standard = -reader.read_time();  // written as west of Greenwich
    std::vector<time_zone::change> changes;
    if (!reader.is_at_end() && !reader.has_failed()) {
        reader.skip_name();
        const seconds summer = reader.is_at_number() ? -reader.read_time() : standard + hours(1);
        const auto summer_begin = reader.read_day();
        const auto summer_end = reader.read_day();
        for (year current = first_year; current <= year(horizon_year) && !reader.has_failed();
             ++current) {
            const auto begin = to_date(summer_begin, current) + summer_begin.at - standard;
            const auto end = to_date(summer_end, current) + summer_end.at - summer;
            changes.push_back({sys_seconds(begin.time_since_epoch()), summer});
            changes.push_back({sys_seconds(end.time_since_epoch()), standard});
        }
    }
    if (reader.has_failed() || !reader.is_at_end())
        return fail(errc::corrupt, "invalid time zone rule: " + std::string(rule));
    std::ranges::sort(changes, {}, &time_zone::change::at);
    return changes;
}

}  // namespace muster::windows
