#include "core/windows/recurrence_walk.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::windows {
namespace {

using std::chrono::days;
using std::chrono::December;
using std::chrono::duration_cast;
using std::chrono::floor;
using std::chrono::hh_mm_ss;
using std::chrono::hours;
using std::chrono::January;
using std::chrono::last;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::months;
using std::chrono::weekday;
using std::chrono::year;
using std::chrono::year_month_day;
using std::chrono::year_month_day_last;
using std::chrono::years;
using frequency = recurrence::frequency;

bool contains(const std::vector<int>& sorted, int value) {
    return std::ranges::binary_search(sorted, value);
}

// Whether the list has this position out of `count`; negative entries count from the end.
bool contains_position(const std::vector<int>& sorted, int position, int count) {
    return contains(sorted, position) || contains(sorted, position - count - 1);
}

year_month_day to_date(local_days day) {
    return year_month_day(day);
}

local_days week_begin(local_days day, weekday week_start) {
    return day - (weekday(day) - week_start);
}

int year_number(local_days day) {
    return static_cast<int>(to_date(day).year());
}

// Week 1 is the first with at least four days in the year.
local_days first_week(int number, weekday week_start) {
    return week_begin(local_days(year(number) / January / 4), week_start);
}

int days_between(local_days from, local_days to) {
    return static_cast<int>((to - from).count());
}

std::vector<int> value_or_default(const std::vector<int>& values, int default_value) {
    return values.empty() ? std::vector<int>{default_value} : values;
}

// Takes the parts that the rule omits from its first time.
recurrence complete_rule(recurrence rule, local_seconds start) {
    const auto day = floor<days>(start);
    const auto date = to_date(day);
    const hh_mm_ss<seconds> time(start - day);
    const bool lacks_day = rule.week_numbers.empty() && rule.year_days.empty()
                           && rule.month_days.empty() && rule.days.empty();
    const int day_of_month = static_cast<int>(static_cast<unsigned>(date.day()));
    if (rule.every == frequency::yearly && lacks_day) {
        rule.months =
            value_or_default(rule.months, static_cast<int>(static_cast<unsigned>(date.month())));
        rule.month_days = {day_of_month};
    }
    if (rule.every == frequency::monthly && lacks_day) rule.month_days = {day_of_month};
    const bool lacks_weekday = !rule.week_numbers.empty() && rule.year_days.empty()
                               && rule.month_days.empty() && rule.days.empty();
    if ((rule.every == frequency::weekly && rule.days.empty()) || lacks_weekday)
        rule.days = {{.nth = 0, .day = weekday(day)}};
    if (rule.every != frequency::hourly)
        rule.hours = value_or_default(rule.hours, static_cast<int>(time.hours().count()));
    rule.minutes = value_or_default(rule.minutes, static_cast<int>(time.minutes().count()));
    rule.seconds = value_or_default(rule.seconds, static_cast<int>(time.seconds().count()));
    return rule;
}

}  // namespace

recurrence_walk::recurrence_walk(
    const recurrence& rule, const time_zone& zone, local_seconds start, span period)
    : rule_(complete_rule(rule, start)), start_(start), to_(period.to), from_(period.from) {
    if (rule.until)
        until_ = rule.until->base == recurrence::end::time_base::utc
                     ? zone.to_local(sys_seconds(rule.until->last.time_since_epoch()))
                     : rule.until->last;
    times_.push_back(start);
    // COUNT counts from the start, so nothing can be skipped.
    if (!rule_.count && from_ > start_) skip_to(from_);
}

void recurrence_walk::skip_to(local_seconds from) {
    const auto target = floor<days>(from);
    const auto begin = floor<days>(start_);
    std::int64_t periods = 0;  // whole periods of interval 1
    switch (rule_.every) {
        case frequency::yearly:
            periods = year_number(target) - year_number(begin);
            break;
        case frequency::monthly: {
            const auto target_date = to_date(target);
            const auto start_date = to_date(begin);
            periods =
                (target_date.year() / target_date.month() - start_date.year() / start_date.month())
                    .count();
            break;
        }
        case frequency::weekly:
            periods = days_between(
                          week_begin(begin, rule_.week_start), week_begin(target, rule_.week_start))
                      / 7;
            break;
        case frequency::daily:
            periods = days_between(begin, target);
            break;
        case frequency::hourly:
            periods = duration_cast<hours>(from - start_).count();
            break;
    }
    period_ = std::max<std::int64_t>(0, periods / rule_.interval);
}

std::optional<local_seconds> recurrence_walk::next() {
    while (true) {
        if (position_ == times_.size() && !fill()) return std::nullopt;
        const auto time = times_[position_++];
        if (rule_.count && count_ >= *rule_.count) return std::nullopt;
        if (until_ && time > *until_) return std::nullopt;
        if (time >= to_) return std::nullopt;
        ++count_;
        if (time >= from_) return time;
    }
}

bool recurrence_walk::fill() {
    while (true) {
        times_.clear();
        position_ = 0;
        const auto begin = first_day(period_);
        if (begin >= to_ || (until_ && begin > *until_)) return false;
        add_period(period_++);
        select_positions();
        // next() returned the start already, and no time precedes it.
        std::erase_if(times_, [this](local_seconds time) { return time <= start_; });
        if (!times_.empty()) return true;
    }
}

local_days recurrence_walk::first_day(std::int64_t period) const {
    const auto begin = floor<days>(start_);
    const auto date = to_date(begin);
    const auto steps = period * rule_.interval;
    switch (rule_.every) {
        case frequency::yearly:
            return local_days((date.year() + years(static_cast<int>(steps))) / January / 1);
        case frequency::monthly:
            return local_days((date.year() / date.month() + months(static_cast<int>(steps))) / 1);
        case frequency::weekly:
            return week_begin(begin, rule_.week_start) + days(7 * steps);
        case frequency::daily:
            return begin + days(steps);
        case frequency::hourly:
            return floor<days>(start_ + hours(steps));
    }
    MUSTER_ASSERT(false);
}

local_days recurrence_walk::end_day(std::int64_t period) const {
    const auto begin = first_day(period);
    switch (rule_.every) {
        case frequency::yearly:
            return local_days((to_date(begin).year() + years(1)) / January / 1);
        case frequency::monthly: {
            const auto date = to_date(begin);
            return local_days((date.year() / date.month() + months(1)) / 1);
        }
        case frequency::weekly:
            return begin + days(7);
        case frequency::daily:
        case frequency::hourly:
            return begin + days(1);
    }
    MUSTER_ASSERT(false);
}

void recurrence_walk::add_period(std::int64_t period) {
    if (rule_.every == frequency::hourly) {
        const auto moment = start_ + hours(period * rule_.interval);
        const auto day = floor<days>(moment);
        const int hour = static_cast<int>(floor<hours>(moment - day).count());
        if (!rule_.hours.empty() && !contains(rule_.hours, hour)) return;
        if (matches(day)) add_times(day, {hour});
        return;
    }
    const auto end = end_day(period);
    for (auto day = first_day(period); day < end; day += days(1))
        if (matches(day)) add_times(day, rule_.hours);
}

bool recurrence_walk::matches(local_days day) const {
    const auto date = to_date(day);
    const int month_number = static_cast<int>(static_cast<unsigned>(date.month()));
    if (!rule_.months.empty() && !contains(rule_.months, month_number)) return false;
    if (!rule_.month_days.empty()) {
        const int count =
            static_cast<int>(static_cast<unsigned>((date.year() / date.month() / last).day()));
        const int day_number = static_cast<int>(static_cast<unsigned>(date.day()));
        if (!contains_position(rule_.month_days, day_number, count)) return false;
    }
    if (!rule_.year_days.empty()) {
        const int count = date.year().is_leap() ? 366 : 365;
        const int number = 1 + days_between(local_days(date.year() / January / 1), day);
        if (!contains_position(rule_.year_days, number, count)) return false;
    }
    if (!rule_.week_numbers.empty() && !matches_week(day)) return false;
    return rule_.days.empty() || matches_ordinals(date, day);
}

bool recurrence_walk::matches_week(local_days day) const {
    int year_of_day = year_number(day);
    auto begin = first_week(year_of_day, rule_.week_start);
    auto end = first_week(year_of_day + 1, rule_.week_start);
    if (day < begin) {
        end = begin;
        begin = first_week(year_of_day - 1, rule_.week_start);
    } else if (day >= end) {
        begin = end;
        end = first_week(year_of_day + 2, rule_.week_start);
    }
    return contains_position(
        rule_.week_numbers, 1 + days_between(begin, day) / 7, days_between(begin, end) / 7);
}

// "The second Tuesday" counts within the month if the rule names months, else within the year.
bool recurrence_walk::matches_ordinals(const year_month_day& date, local_days day) const {
    const bool within_month = rule_.every == frequency::monthly || !rule_.months.empty();
    const auto begin = local_days(
        within_month ? date.year() / date.month() / 1 : year_month_day(date.year() / January / 1));
    const auto end = local_days(
        within_month ? date.year() / date.month() / last
                     : year_month_day_last(date.year() / December / last));
    const int nth_from_begin = 1 + days_between(begin, day) / 7;
    const int nth_from_end = -1 - days_between(day, end) / 7;
    return std::ranges::any_of(rule_.days, [&](const recurrence::ordinal_day& ordinal) {
        return ordinal.day == weekday(day)
               && (ordinal.nth == 0 || ordinal.nth == nth_from_begin
                   || ordinal.nth == nth_from_end);
    });
}

void recurrence_walk::add_times(local_days day, const std::vector<int>& hours_of_day) {
    for (const int h : hours_of_day)
        for (const int m : rule_.minutes)
            for (const int s : rule_.seconds)
                times_.push_back(day + hours(h) + minutes(m) + seconds(s));
}

void recurrence_walk::select_positions() {
    if (rule_.positions.empty() || times_.empty()) return;
    std::vector<local_seconds> selected;
    const int count = static_cast<int>(times_.size());
    for (int position = 1; position <= count; ++position)
        if (contains_position(rule_.positions, position, count))
            selected.push_back(times_[static_cast<std::size_t>(position - 1)]);
    times_ = std::move(selected);
}

}  // namespace muster::windows
