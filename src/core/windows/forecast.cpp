#include "core/windows/forecast.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

namespace muster::windows {
namespace {

using std::chrono::seconds;

constexpr double unlimited = 1e18;
constexpr double rounding = 1e-6;

// The part of a window in which a task of the group may start.
struct start_period {
    wall_time from;
    wall_time to;  // inclusive
    std::size_t group = 0;
    std::size_t window_index = 0;
};

double seconds_between(wall_time from, wall_time to) {
    return std::chrono::duration<double>(to - from).count();
}

// Time that a window must have left for work to start in it.
seconds required_time(const forecast_group& group) {
    return group.rule == admission_policy::fit::start_within ? seconds(0) : group.expected;
}

enum class limit_kind { none, concurrency, rate };

class forecast_sweep {
public:
    forecast_sweep(
        std::span<const forecast_group> groups, const forecast_limits& limits, wall_time now)
        : groups_(groups), limits_(limits), now_(now) {
        for (const auto& group : groups) pending_.push_back(group.systems);
        limited_by_.resize(groups.size(), limit_kind::none);
    }

    forecast run() {
        count_unscheduled();
        plan_start_periods();
        for (auto it = times_.begin(); it != times_.end(); ++it) {
            serve(*it, *it);  // a window that the work fills exactly has only this instant
            const auto next = std::next(it);
            if (next != times_.end()) serve(*it, *next);
        }
        report_rest();
        std::erase_if(
            forecast_.windows, [](const forecast_line& line) { return line.finished == 0; });
        std::ranges::sort(forecast_.windows, [](const forecast_line& a, const forecast_line& b) {
            return std::tie(a.window.opens, a.schedule) < std::tie(b.window.opens, b.schedule);
        });
        return std::move(forecast_);
    }

private:
    void count_unscheduled() {
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            if (!groups_[group].schedule.empty()) continue;
            forecast_.without_schedule += std::exchange(pending_[group], 0);
        }
    }

    void plan_start_periods() {
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            for (const auto& window : groups_[group].next_windows) {
                const auto from = std::max(window.opens, now_);
                const auto to =
                    std::min(window.closes - required_time(groups_[group]), groups_[group].until);
                if (to < from || pending_[group] == 0) continue;
                periods_.push_back(
                    {.from = from,
                     .to = to,
                     .group = group,
                     .window_index = forecast_.windows.size()});
                forecast_.windows.push_back(
                    {.schedule = groups_[group].schedule, .window = window, .finished = 0});
                times_.insert(from);
                times_.insert(to);
            }
        }
        std::ranges::sort(periods_, {}, &start_period::from);
    }

    // Periods in which a task may start at any time from `from` up to `to`.
    std::vector<start_period> periods_during(wall_time from, wall_time to) {
        std::erase_if(periods_, [&](const start_period& period) { return period.to < from; });
        std::vector<start_period> open;
        for (const auto& period : periods_) {
            if (period.from > from) break;
            if (period.to >= to && pending_[period.group] > 0) open.push_back(period);
        }
        return open;
    }

    double shortest_task(const std::vector<start_period>& periods) const {
        double least = unlimited;
        for (const auto& period : periods) least = std::min(least, cost(period.group));
        return least;
    }

    // Starts as many tasks from `from` up to `to` as the limits allow, by the size of groups.
    // Concurrency is counted in slot-seconds; a task of d seconds uses d. An idle job may start a
    // full set at once, afterwards as many tasks as end.
    void serve(wall_time from, wall_time to) {
        const double length = seconds_between(from, to);
        const auto slots = static_cast<double>(limits_.concurrency);
        const auto periods = periods_during(from, to);
        if (periods.empty()) {
            credit_ += slots * length;
            return;
        }
        credit_ = std::min(credit_, slots * shortest_task(periods));
        const double slot_seconds = limits_.concurrency == 0 ? unlimited : credit_ + slots * length;
        const double starts = limits_.starts_per_second > 0
                                  ? limits_.starts_per_second * std::max(length, 1.0)
                                  : unlimited;
        const double used = start_tasks(periods, slot_seconds, starts);
        credit_ += slots * length - used;
    }

    // Returns the slot-seconds used.
    double start_tasks(
        const std::vector<start_period>& periods, double slot_seconds, double starts) {
        double wanted_slot_seconds = 0;
        double wanted_starts = 0;
        for (const auto& period : periods) {
            const auto count = static_cast<double>(pending_[period.group]);
            wanted_starts += count;
            wanted_slot_seconds += count * cost(period.group);
        }
        const double slot_share =
            wanted_slot_seconds > slot_seconds ? slot_seconds / wanted_slot_seconds : 1.0;
        const double rate_share = wanted_starts > starts ? starts / wanted_starts : 1.0;
        const double share = std::min(slot_share, rate_share);
        double used = 0;
        for (const auto& period : periods) {
            const auto count = static_cast<std::uint64_t>(
                std::floor(static_cast<double>(pending_[period.group]) * share + rounding));
            pending_[period.group] -= count;
            forecast_.windows[period.window_index].finished += count;
            used += static_cast<double>(count) * cost(period.group);
            if (share < 1.0)
                limited_by_[period.group] =
                    slot_share <= rate_share ? limit_kind::concurrency : limit_kind::rate;
        }
        return used;
    }

    double cost(std::size_t group) const {
        return std::max(1.0, static_cast<double>(groups_[group].expected.count()));
    }
    std::string reason_for(std::size_t index) const {
        const auto& group = groups_[index];
        if (group.next_windows.empty()) return "the maintenance schedule has no windows";
        const auto first = std::ranges::find_if(group.next_windows, [&](const window& window) {
            return window.closes - std::max(window.opens, now_) >= required_time(group);
        });
        if (first == group.next_windows.end())
            return "expected duration " + to_text(group.expected) + " exceeds each of the next "
                   + std::to_string(group.next_windows.size()) + " maintenance windows";
        if (first->opens > group.until)
            return "next maintenance window opens at " + to_text(first->opens)
                   + "; the job expires at " + to_text(group.until);
        const auto windows =
            "in the next " + std::to_string(group.next_windows.size()) + " maintenance windows";
        if (limited_by_[index] == limit_kind::rate)
            return "rate limit (starts per second) reached " + windows;
        return "batch limit of " + std::to_string(limits_.concurrency) + " running tasks reached "
               + windows;
    }

    void report_rest() {
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            if (pending_[group] == 0) continue;
            forecast_.rest.push_back(
                {.schedule = groups_[group].schedule,
                 .systems = pending_[group],
                 .reason = reason_for(group)});
        }
    }

    std::span<const forecast_group> groups_;
    forecast_limits limits_;
    wall_time now_;
    std::vector<std::uint64_t> pending_;
    std::vector<limit_kind> limited_by_;
    std::vector<start_period> periods_;
    std::set<wall_time> times_;
    forecast forecast_;
    double credit_ = unlimited;  // unused slot-seconds; unlimited while idle
};

}  // namespace

forecast compute_forecast(
    std::span<const forecast_group> groups, const forecast_limits& limits, wall_time now) {
    return forecast_sweep(groups, limits, now).run();
}

waiting_systems waiting_systems_at(std::span<const forecast_group> groups, wall_time now) {
    waiting_systems waiting;
    for (const auto& group : groups) {
        if (group.schedule.empty()) continue;
        const auto decision = admit(
            {.now = now, .next_windows = group.next_windows, .expected = group.expected},
            {.rule = group.rule});
        if (std::holds_alternative<start>(decision)) continue;
        waiting.count += group.systems;
        const auto* const postponed = std::get_if<wait>(&decision);
        if (postponed == nullptr) continue;
        waiting.opens = std::min(waiting.opens.value_or(postponed->until), postponed->until);
    }
    return waiting;
}

}  // namespace muster::windows
