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
using words = std::array<std::pair<Enum, std::string_view>, Count>;

template <class Enum, std::size_t Count>
std::string_view word_of(const words<Enum, Count>& all, Enum desired) {
    const auto it = std::ranges::find(all, desired, &std::pair<Enum, std::string_view>::first);
    MUSTER_ASSERT(it != all.end());
    return it->second;
}

template <class Enum, std::size_t Count>
std::optional<Enum> meant_by(const words<Enum, Count>& all, std::string_view text) {
    const auto it = std::ranges::find(all, text, &std::pair<Enum, std::string_view>::second);
    if (it == all.end()) return std::nullopt;
    return it->first;
}

constexpr words<task_state, 6> task_words{
    {{task_state::queued, "queued"},
     {task_state::picked_up, "picked_up"},
     {task_state::completed, "completed"},
     {task_state::failed, "failed"},
     {task_state::cancelled, "cancelled"},
     {task_state::expired, "expired"}}};

constexpr words<job_stage, 7> stage_words{
    {{job_stage::open, "open"},
     {job_stage::paused, "paused"},
     {job_stage::cancelling, "cancelling"},
     {job_stage::cancelled, "cancelled"},
     {job_stage::halted, "halted"},
     {job_stage::expired, "expired"},
     {job_stage::done, "done"}}};

constexpr words<job_phase, 3> phase_words{
    {{job_phase::nobody, "nobody"},
     {job_phase::canaries, "canaries"},
     {job_phase::everybody, "everybody"}}};

constexpr words<job_spec::window_rule, 4> window_words{
    {{job_spec::window_rule::ignore, "ignore"},
     {job_spec::window_rule::respect, "respect"},
     {job_spec::window_rule::start, "start"},
     {job_spec::window_rule::override, "override"}}};

// `width` decimal digits of a number, with leading zeros.
void append(std::string& to, std::int64_t number, std::size_t width) {
    const auto digits = std::to_string(number);
    MUSTER_ASSERT(number >= 0 && digits.size() <= width);
    to.append(width - digits.size(), '0').append(digits);
}

int digits_at(std::string_view text, std::size_t at, std::size_t width) {
    int read = 0;
    for (const char digit : text.substr(at, width)) read = read * 10 + (digit - '0');
    return read;
}

}  // namespace

job_id job_made_at(wall_time when) {
    return job_id(when.time_since_epoch().count());
}

wall_time made_at(job_id job) {
    return wall_time(std::chrono::microseconds(job.value()));
}

std::string to_string(job_id job) {
    const auto when = made_at(job);
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(when - day);
    std::string text;
    append(text, static_cast<int>(date.year()), 4);
    append(text, static_cast<unsigned>(date.month()), 2);
    append(text, static_cast<unsigned>(date.day()), 2);
    append(text, time.hours().count(), 2);
    append(text, time.minutes().count(), 2);
    append(text, time.seconds().count(), 2);
    append(text, time.subseconds().count(), 6);
    return text;
}

result<job_id> parse_job_id(std::string_view text) {
    const auto wrong =
        fail(errc::invalid, "a job's id is twenty digits, as `muster jobs` shows them");
    if (text.size() != id_digits) return wrong;
    if (!std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) return wrong;
    const auto date = std::chrono::year(digits_at(text, 0, 4))
                      / std::chrono::month(static_cast<unsigned>(digits_at(text, 4, 2)))
                      / std::chrono::day(static_cast<unsigned>(digits_at(text, 6, 2)));
    const int hour = digits_at(text, 8, 2);
    const int minute = digits_at(text, 10, 2);
    const int second = digits_at(text, 12, 2);
    if (!date.ok() || hour > 23 || minute > 59 || second > 59) return wrong;
    return job_made_at(
        std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute)
        + std::chrono::seconds(second) + std::chrono::microseconds(digits_at(text, 14, 6)));
}

std::string_view to_string(task_state state) {
    return word_of(task_words, state);
}
std::optional<task_state> parse_task_state(std::string_view text) {
    return meant_by(task_words, text);
}

bool is_end(task_state state) {
    return state != task_state::queued && state != task_state::picked_up;
}

bool may_follow(task_state from, task_state to) {
    switch (from) {
        case task_state::queued:
            return to == task_state::picked_up || (is_end(to) && to != task_state::completed);
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
    const auto wrong =
        fail(errc::invalid, "an amount is a number such as 10, or a part such as 25%");
    amount read;
    if (text.ends_with('%')) {
        read.in = amount::unit::percent;
        text.remove_suffix(1);
    }
    const auto [end, error] = std::from_chars(
        text.data(), text.data() + text.size(), read.value, std::chars_format::fixed);
    if (error != std::errc() || end != text.data() + text.size()) return wrong;
    if (!std::isfinite(read.value) || read.value < 0) return wrong;
    if (read.in == amount::unit::percent && read.value > 100) return wrong;
    if (read.in == amount::unit::count
        && (read.value != std::floor(read.value) || read.value > 1e9))
        return wrong;
    return read;
}

std::string to_string(const amount& what) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), what.value).ptr;
    return std::string(text.data(), end) + (what.in == amount::unit::percent ? "%" : "");
}

std::uint64_t of(const amount& what, std::uint64_t total) {
    const double exact = what.in == amount::unit::percent
                             ? what.value / 100.0 * static_cast<double>(total)
                             : what.value;
    if (exact > 0 && exact < 1) return 1;
    return static_cast<std::uint64_t>(exact);
}

std::string_view to_string(job_spec::window_rule rule) {
    return word_of(window_words, rule);
}
std::optional<job_spec::window_rule> parse_window_rule(std::string_view text) {
    return meant_by(window_words, text);
}
bool heeds_windows(const job_spec& spec) {
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
    return word_of(stage_words, stage);
}
std::optional<job_stage> parse_job_stage(std::string_view text) {
    return meant_by(stage_words, text);
}

std::string_view to_string(job_phase phase) {
    return word_of(phase_words, phase);
}
std::optional<job_phase> parse_job_phase(std::string_view text) {
    return meant_by(phase_words, text);
}

bool is_end(job_stage stage) {
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

// Of an attempt, in this order: it was picked up; its end is presumed; the next attempt waits; its
// end is told by its agent, who knows when it picked the task up. So a told end takes the place of
// what was presumed, and of the wait for another attempt that somebody without it decided on; only
// the next attempt that is picked up comes after it.
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
