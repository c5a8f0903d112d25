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
struct turning_day {
    enum class kind { month_week_weekday, julian, day_of_year } what = kind::day_of_year;
    int month_number = 0;
    int week = 0;
    int weekday_number = 0;
    int day = 0;
    seconds at = hours(2);
};

class rule_reader {
public:
    explicit rule_reader(std::string_view text) : rest_(text) {}

    bool done() const { return rest_.empty(); }
    bool wrong() const { return wrong_; }

    bool take(char letter) {
        if (rest_.empty() || rest_.front() != letter) return false;
        rest_.remove_prefix(1);
        return true;
    }

    void skip_name() {
        if (take('<')) {
            const auto end = rest_.find('>');
            if (end == std::string_view::npos) return fail_here();
            rest_.remove_prefix(end + 1);
            return;
        }
        const auto* const end = std::ranges::find_if_not(rest_, is_alpha);
        if (end - rest_.begin() < 3) return fail_here();
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.begin()));
    }

    int integer(int least, int most) {
        int value = 0;
        const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (read.ec != std::errc() || value < least || value > most) {
            fail_here();
            return least;
        }
        rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
        return value;
    }

    // [+-]hh[:mm[:ss]]
    seconds time() {
        const bool negative = take('-');
        if (!negative) take('+');
        seconds value = hours(integer(0, 167));
        if (take(':')) value += minutes(integer(0, 59));
        if (take(':')) value += seconds(integer(0, 59));
        return negative ? -value : value;
    }

    turning_day day() {
        turning_day read;
        if (!take(',')) fail_here();
        if (take('M')) {
            read.what = turning_day::kind::month_week_weekday;
            read.month_number = integer(1, 12);
            if (!take('.')) fail_here();
            read.week = integer(1, 5);
            if (!take('.')) fail_here();
            read.weekday_number = integer(0, 6);
        } else if (take('J')) {
            read.what = turning_day::kind::julian;
            read.day = integer(1, 365);
        } else {
            read.day = integer(0, 365);
        }
        if (take('/')) read.at = time();
        return read;
    }

    bool at_digit_or_sign() const {
        return !rest_.empty()
               && (is_digit(rest_.front()) || rest_.front() == '-' || rest_.front() == '+');
    }

private:
    void fail_here() {
        wrong_ = true;
        rest_ = {};
    }

    std::string_view rest_;
    bool wrong_ = false;
};

local_days date_of(const turning_day& turn, year year) {
    const auto new_year = local_days(year / January / 1);
    switch (turn.what) {
        case turning_day::kind::day_of_year:
            return new_year + days(turn.day);
        case turning_day::kind::julian: {
            // 29 February is never counted.
            const bool behind = year.is_leap() && turn.day >= 60;
            return new_year + days(turn.day - (behind ? 0 : 1));
        }
        case turning_day::kind::month_week_weekday:
            break;
    }
    const auto month_of = month(static_cast<unsigned>(turn.month_number));
    const auto weekday_of = weekday(static_cast<unsigned>(turn.weekday_number));
    if (turn.week == 5) return local_days(year / month_of / weekday_of[last]);
    return local_days(year / month_of / weekday_of[static_cast<unsigned>(turn.week)]);
}

}  // namespace

result<std::vector<time_zone::change>> changes_of_posix_rule(std::string_view rule, year first) {
    rule_reader reader(rule);
    reader.skip_name();
    const seconds standard = -reader.time();  // written as west of Greenwich
    std::vector<time_zone::change> changes;
    if (!reader.done() && !reader.wrong()) {
        reader.skip_name();
        const seconds summer = reader.at_digit_or_sign() ? -reader.time() : standard + hours(1);
        const auto begins = reader.day();
        const auto ends = reader.day();
        for (year each = first; each <= year(horizon_year) && !reader.wrong(); ++each) {
            const auto begin = date_of(begins, each) + begins.at - standard;
            const auto end = date_of(ends, each) + ends.at - summer;
            changes.push_back({sys_seconds(begin.time_since_epoch()), summer});
            changes.push_back({sys_seconds(end.time_since_epoch()), standard});
        }
    }
    if (reader.wrong() || !reader.done())
        return fail(errc::corrupt, "not a rule of a time zone: " + std::string(rule));
    std::ranges::sort(changes, {}, &time_zone::change::at);
    return changes;
}

}  // namespace muster::windows
