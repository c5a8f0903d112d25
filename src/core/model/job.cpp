#include "core/model/job.h"

#include "base/assert.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace muster {
namespace {

constexpr std::size_t id_digits = 20;

template <class Enum, std::size_t Count>
using enum_names = std::array<std::pair<Enum, std::string_view>, Count>;

template <class Enum, std::size_t Count>
std::string_view name_of(const enum_names<Enum, Count>& names, Enum value) {
    const auto it = std::ranges::find(names, value, &std::pair<Enum, std::string_view>::first);
    MUSTER_ASSERT(it != names.end());
    return it->second;
}

template <class Enum, std::size_t Count>
std::optional<Enum> find_value(const enum_names<Enum, Count>& names, std::string_view text) {
    const auto it = std::ranges::find(names, text, &std::pair<Enum, std::string_view>::second);
    if (it == names.end()) return std::nullopt;
    return it->first;
}

constexpr enum_names<task_state, 6> task_names{
    {{task_state::queued, "queued"},
     {task_state::picked_up, "picked_up"},
     {task_state::completed, "completed"},
     {task_state::failed, "failed"},
     {task_state::cancelled, "cancelled"},
     {task_state::expired, "expired"}}};

constexpr enum_names<job_stage, 7> stage_names{
    {{job_stage::open, "open"},
     {job_stage::paused, "paused"},
     {job_stage::cancelling, "cancelling"},
     {job_stage::cancelled, "cancelled"},
     {job_stage::halted, "halted"},
     {job_stage::expired, "expired"},
     {job_stage::done, "done"}}};

constexpr enum_names<job_phase, 3> phase_names{
    {{job_phase::none, "nobody"},
     {job_phase::canaries, "canaries"},
     {job_phase::all, "everybody"}}};

constexpr enum_names<job_spec::window_rule, 4> window_names{
    {{job_spec::window_rule::ignore, "ignore"},
     {job_spec::window_rule::respect, "respect"},
     {job_spec::window_rule::start, "start"},
     {job_spec::window_rule::override, "override"}}};

// `width` decimal digits of a number, with leading zeros.
void append_digits(std::string& text, std::int64_t number, std::size_t width) {
    const auto digits = std::to_string(number);
    MUSTER_ASSERT(number >= 0 && digits.size() <= width);
    text.append(width - digits.size(), '0').append(digits);
}

int parse_digits(std::string_view text, std::size_t position, std::size_t width) {
    int number = 0;
    for (const char digit : text.substr(position, width)) number = number * 10 + (digit - '0');
    return number;
}

}  // namespace

job_id job_id_at(wall_time time) {
    return job_id(time.time_since_epoch().count());
}

wall_time created_at(job_id job) {
    return wall_time(std::chrono::microseconds(job.value()));
}

std::string to_string(job_id job) {
    const auto time = created_at(job);
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time_of_day(time - day);
    std::string text;
    append_digits(text, static_cast<int>(date.year()), 4);
    append_digits(text, static_cast<unsigned>(date.month()), 2);
    append_digits(text, static_cast<unsigned>(date.day()), 2);
    append_digits(text, time_of_day.hours().count(), 2);
    append_digits(text, time_of_day.minutes().count(), 2);
    append_digits(text, time_of_day.seconds().count(), 2);
    append_digits(text, time_of_day.subseconds().count(), 6);
    return text;
}

result<job_id> parse_job_id(std::string_view text) {
    const auto invalid =
        fail(errc::invalid, "job id must have 20 digits, as shown by `muster jobs`");
    if (text.size() != id_digits) return invalid;
    if (!std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) return invalid;
    const auto date = std::chrono::year(parse_digits(text, 0, 4))
                      / std::chrono::month(static_cast<unsigned>(parse_digits(text, 4, 2)))
                      / std::chrono::day(static_cast<unsigned>(parse_digits(text, 6, 2)));
    const int hour = parse_digits(text, 8, 2);
    const int minute = parse_digits(text, 10, 2);
    const int second = parse_digits(text, 12, 2);
    if (!date.ok() || hour > 23 || minute > 59 || second > 59) return invalid;
    return job_id_at(
        std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute)
        + std::chrono::seconds(second) + std::chrono::microseconds(parse_digits(text, 14, 6)));
}

std::string_view to_string(task_state state) {
    return name_of(task_names, state);
}
std::optional<task_state> parse_task_state(std::string_view text) {
    return find_value(task_names, text);
}

bool is_final(task_state state) {
    return state != task_state::queued && state != task_state::picked_up;
}

bool may_follow(task_state from, task_state to) {
    switch (from) {
        case task_state::queued:
            return to == task_state::picked_up || (is_final(to) && to != task_state::completed);
        case task_state::picked_up:
            return to == task_state::queued || to == task_state::completed
                   || to == task_state::failed;
        case task_state::completed:
        case task_state::failed:
        case task_state::cancelled:
        case task_state::expired:
            return false;
    }
    MUSTER_ASSERT(false);
}

result<amount> parse_amount(std::string_view text) {
    const auto invalid =
        fail(errc::invalid, "amount must be a number such as 10 or a percentage such as 25%");
    amount parsed;
    if (text.ends_with('%')) {
        parsed.unit = amount::units::percent;
        text.remove_suffix(1);
    }
    const auto [end, error] = std::from_chars(
        text.data(), text.data() + text.size(), parsed.value, std::chars_format::fixed);
    if (error != std::errc() || end != text.data() + text.size()) return invalid;
    if (!std::isfinite(parsed.value) || parsed.value < 0) return invalid;
    if (parsed.unit == amount::units::percent && parsed.value > 100) return invalid;
    if (parsed.unit == amount::units::count
        && (parsed.value != std::floor(parsed.value) || parsed.value > 1e9))
        return invalid;
    return parsed;
}

std::string to_string(const amount& value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value.value).ptr;
    return std::string(text.data(), end) + (value.unit == amount::units::percent ? "%" : "");
}

std::uint64_t count_of(const amount& value, std::uint64_t total) {
    const double exact = value.unit == amount::units::percent
                             ? value.value / 100.0 * static_cast<double>(total)
                             : value.value;
    if (exact > 0 && exact < 1) return 1;
    return static_cast<std::uint64_t>(exact);
}

std::string_view to_string(job_spec::window_rule rule) {
    return name_of(window_names, rule);
}
std::optional<job_spec::window_rule> parse_window_rule(std::string_view text) {
    return find_value(window_names, text);
}
bool respects_windows(const job_spec& spec) {
    switch (spec.windows) {
        case job_spec::window_rule::respect:
        case job_spec::window_rule::start:
            return true;
        case job_spec::window_rule::ignore:
        case job_spec::window_rule::override:
            return false;
    }
    MUSTER_ASSERT(false);
}

std::string_view to_string(job_stage stage) {
    return name_of(stage_names, stage);
}
std::optional<job_stage> parse_job_stage(std::string_view text) {
    return find_value(stage_names, text);
}

std::string_view to_string(job_phase phase) {
    return name_of(phase_names, phase);
}
std::optional<job_phase> parse_job_phase(std::string_view text) {
    return find_value(phase_names, text);
}

bool is_final(job_stage stage) {
    switch (stage) {
        case job_stage::open:
        case job_stage::paused:
        case job_stage::cancelling:
            return false;
        case job_stage::cancelled:
        case job_stage::halted:
        case job_stage::expired:
        case job_stage::done:
            return true;
    }
    MUSTER_ASSERT(false);
}

// Order of an attempt: picked up; end presumed by a server; next attempt queued; end reported by
// the agent, which knows the pick-up time. So a reported end replaces a presumed end and a queued
// retry. Only the pick-up of the next attempt ranks higher.
std::int64_t rank_of(const task_record& task) {
    constexpr std::int64_t states = 4;
    const std::int64_t attempt = task.attempt;
    switch (task.state) {
        case task_state::queued:
            return (attempt - 1) * states + 3;
        case task_state::picked_up:
            return attempt * states + 1;
        case task_state::completed:
        case task_state::failed:
        case task_state::cancelled:
        case task_state::expired:
            return attempt * states + (task.picked_up ? 4 : 2);
    }
    MUSTER_ASSERT(false);
}

task_state state_of(const task_record* task, job_stage job) {
    if (task != nullptr && task->state != task_state::queued) return task->state;
    switch (job) {
        case job_stage::open:
        case job_stage::paused:
        case job_stage::cancelling:
        case job_stage::done:
            return task_state::queued;
        case job_stage::cancelled:
        case job_stage::halted:
            return task_state::cancelled;
        case job_stage::expired:
            return task_state::expired;
    }
    MUSTER_ASSERT(false);
}

}  // namespace muster
