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

// A stretch of one window in which a task of the group may start.
struct stretch {
    wall_time from;
    wall_time to;  // inclusive
    std::size_t group = 0;
    std::size_t line = 0;
};

double seconds_between(wall_time from, wall_time to) {
    return std::chrono::duration<double>(to - from).count();
}

// What must be left of a window for work to start there.
seconds room_for(const forecast_group& of) {
    return of.rule == admission_policy::fit::start_within ? seconds(0) : of.expected;
}

enum class brake { none, concurrency, rate };

class sweep {
public:
    sweep(std::span<const forecast_group> groups, const forecast_limits& limits, wall_time now)
        : groups_(groups), limits_(limits), now_(now) {
        for (const auto& group : groups) waiting_.push_back(group.systems);
        braked_.resize(groups.size(), brake::none);
    }

    forecast run() {
        start_the_free();
        plan_stretches();
        for (auto at = times_.begin(); at != times_.end(); ++at) {
            serve(*at, *at);  // windows into which the work fits exactly have but this moment
            const auto after = std::next(at);
            if (after != times_.end()) serve(*at, *after);
        }
        tell_rest();
        std::erase_if(told_.windows, [](const forecast_line& line) { return line.finished == 0; });
        std::ranges::sort(told_.windows, [](const forecast_line& a, const forecast_line& b) {
            return std::tie(a.within.opens, a.schedule) < std::tie(b.within.opens, b.schedule);
        });
        return std::move(told_);
    }

private:
    void start_the_free() {
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            if (!groups_[group].schedule.empty()) continue;
            told_.without_schedule += std::exchange(waiting_[group], 0);
        }
    }

    void plan_stretches() {
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            for (const auto& each : groups_[group].coming) {
                const auto from = std::max(each.opens, now_);
                const auto to =
                    std::min(each.closes - room_for(groups_[group]), groups_[group].until);
                if (to < from || waiting_[group] == 0) continue;
                stretches_.push_back(
                    {.from = from, .to = to, .group = group, .line = told_.windows.size()});
                told_.windows.push_back(
                    {.schedule = groups_[group].schedule, .within = each, .finished = 0});
                times_.insert(from);
                times_.insert(to);
            }
        }
        std::ranges::sort(stretches_, {}, &stretch::from);
    }

    // Those in which a task may start at any time from `from` up to `to`.
    std::vector<stretch> open_during(wall_time from, wall_time to) {
        std::erase_if(stretches_, [&](const stretch& stretch) { return stretch.to < from; });
        std::vector<stretch> open;
        for (const auto& each : stretches_) {
            if (each.from > from) break;
            if (each.to >= to && waiting_[each.group] > 0) open.push_back(each);
        }
        return open;
    }

    double quickest(const std::vector<stretch>& open) const {
        double least = unlimited;
        for (const auto& each : open) least = std::min(least, cost(each.group));
        return least;
    }

    // Tasks that start from `from` up to `to`: as many as the limits allow, by the size of groups.
    // The limit of concurrency is kept as slot-seconds, of which a task of d seconds takes d: at
    // rest a full set may start at once, afterwards as many as end.
    void serve(wall_time from, wall_time to) {
        const double span = seconds_between(from, to);
        const auto room = static_cast<double>(limits_.concurrency);
        const auto open = open_during(from, to);
        if (open.empty()) {
            credit_ += room * span;
            return;
        }
        credit_ = std::min(credit_, room * quickest(open));
        const double slots = limits_.concurrency == 0 ? unlimited : credit_ + room * span;
        const double starts = limits_.starts_per_second > 0
                                  ? limits_.starts_per_second * std::max(span, 1.0)
                                  : unlimited;
        const double used = start_some(open, slots, starts);
        credit_ += room * span - used;
    }

    // Gives the slot-seconds that were taken.
    double start_some(const std::vector<stretch>& open, double slots, double starts) {
        double wanted_slots = 0;
        double wanted_starts = 0;
        for (const auto& each : open) {
            const auto count = static_cast<double>(waiting_[each.group]);
            wanted_starts += count;
            wanted_slots += count * cost(each.group);
        }
        const double by_slots = wanted_slots > slots ? slots / wanted_slots : 1.0;
        const double by_rate = wanted_starts > starts ? starts / wanted_starts : 1.0;
        const double share = std::min(by_slots, by_rate);
        double used = 0;
        for (const auto& each : open) {
            const auto count = static_cast<std::uint64_t>(
                std::floor(static_cast<double>(waiting_[each.group]) * share + rounding));
            waiting_[each.group] -= count;
            told_.windows[each.line].finished += count;
            used += static_cast<double>(count) * cost(each.group);
            if (share < 1.0)
                braked_[each.group] = by_slots <= by_rate ? brake::concurrency : brake::rate;
        }
        return used;
    }

    double cost(std::size_t group) const {
        return std::max(1.0, static_cast<double>(groups_[group].expected.count()));
    }
    std::string why(std::size_t group) const {
        const auto& of = groups_[group];
        if (of.coming.empty()) return "its schedule has no windows";
        const auto first = std::ranges::find_if(of.coming, [&](const window& window) {
            return window.closes - std::max(window.opens, now_) >= room_for(of);
        });
        if (first == of.coming.end())
            return "it is expected to take " + spoken(of.expected)
                   + ", longer than each of the next " + std::to_string(of.coming.size())
                   + " windows";
        if (first->opens > of.until)
            return "its next window opens at " + spoken(first->opens)
                   + ", and what has not started expires at " + spoken(of.until);
        const auto windows = "within the next " + std::to_string(of.coming.size()) + " windows";
        if (braked_[group] == brake::rate)
            return "the limit of starts per second is reached " + windows;
        return "the limit of " + std::to_string(limits_.concurrency) + " at a time is reached "
               + windows;
    }

    void tell_rest() {
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            if (waiting_[group] == 0) continue;
            told_.rest.push_back(
                {.schedule = groups_[group].schedule,
                 .systems = waiting_[group],
                 .why = why(group)});
        }
    }

    std::span<const forecast_group> groups_;
    forecast_limits limits_;
    wall_time now_;
    std::vector<std::uint64_t> waiting_;
    std::vector<brake> braked_;
    std::vector<stretch> stretches_;
    std::set<wall_time> times_;
    forecast told_;
    double credit_ = unlimited;  // at rest
};

}  // namespace

forecast foresee(
    std::span<const forecast_group> groups, const forecast_limits& limits, wall_time now) {
    return sweep(groups, limits, now).run();
}

waiting_systems waiting_at(std::span<const forecast_group> groups, wall_time now) {
    waiting_systems waiting;
    for (const auto& group : groups) {
        if (group.schedule.empty()) continue;
        const auto message = admit(
            {.now = now, .coming = group.coming, .expected = group.expected}, {.rule = group.rule});
        if (std::holds_alternative<start>(message)) continue;
        waiting.count += group.systems;
        const auto* const later = std::get_if<wait>(&message);
        if (later == nullptr) continue;
        waiting.opens = std::min(waiting.opens.value_or(later->until), later->until);
    }
    return waiting;
}

}  // namespace muster::windows
