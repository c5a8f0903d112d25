#include "core/windows/replacement.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace muster::windows {
namespace {

constexpr std::chrono::days search_span{366};
constexpr std::size_t jobs_named_max = 10;
constexpr std::array<std::pair<strategy, std::string_view>, 5> names{
    {{strategy::nearest, "nearest"},
     {strategy::previous, "previous"},
     {strategy::next, "next"},
     {strategy::cancel, "cancel"},
     {strategy::fail, "fail"}}};

std::string lower(std::string_view text) {
    std::string result(text);
    for (auto& letter : result)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return result;
}

// Starts in the windows before and after a planned start that is outside every window.
struct neighbours {
    std::optional<wall_time> previous;
    std::optional<wall_time> next;
};

result<neighbours> find_neighbours(
    const window_schedule& schedule, wall_time planned, wall_time now) {
    neighbours found;
    TRY(const auto following, schedule.windows_between(planned, planned + search_span, 1));
    if (!following.empty()) found.next = std::max(following.front().opens, now);
    if (now >= planned) return found;
    const auto since = std::max(now, planned - search_span);
    TRY(const auto preceding,
        schedule.windows_between(since, planned, window_schedule_limits::windows_max));
    if (!preceding.empty()) found.previous = std::max(preceding.back().opens, now);
    return found;
}

std::optional<wall_time> nearest_start(const neighbours& neighbours, wall_time planned) {
    if (!neighbours.previous || !neighbours.next)
        return neighbours.previous ? neighbours.previous : neighbours.next;
    return planned - *neighbours.previous < *neighbours.next - planned ? neighbours.previous
                                                                       : neighbours.next;
}

using replan_action = std::variant<kept, moved, cancelled>;

// Returns nothing if no strategy applies.
std::optional<replan_action> try_strategies(
    const neighbours& neighbours, wall_time planned, std::span<const strategy> strategies) {
    for (const auto choice : strategies) {
        std::optional<wall_time> start;
        switch (choice) {
            case strategy::nearest:
                start = nearest_start(neighbours, planned);
                break;
            case strategy::previous:
                start = neighbours.previous;
                break;
            case strategy::next:
                start = neighbours.next;
                break;
            case strategy::cancel:
                return cancelled{};
            case strategy::fail:
                return std::nullopt;
        }
        if (start) return moved{.start = *start, .strategy = choice};
    }
    return std::nullopt;
}

}  // namespace

result<std::vector<strategy>> parse_strategies(std::string_view text) {
    std::vector<strategy> strategies;
    while (true) {
        const auto comma = text.find(',');
        const auto word = lower(text.substr(0, comma));
        const auto* const it =
            std::ranges::find(names, word, &std::pair<strategy, std::string_view>::second);
        if (it == names.end())
            return fail(
                errc::invalid,
                "unknown strategy \"" + word + "\"; use Nearest, Previous, Next, Cancel or Fail");
        if (std::ranges::find(strategies, it->first) != strategies.end())
            return muster::fail(errc::invalid, "duplicate strategy \"" + word + "\"");
        strategies.push_back(it->first);
        if (comma == std::string_view::npos) return strategies;
        text.remove_prefix(comma + 1);
    }
}

std::string_view to_string(strategy value) {
    return std::ranges::find(names, value, &std::pair<strategy, std::string_view>::first)->second;
}

result<std::vector<replan_decision>> replan(
    std::span<const planned_start> plans,
    const window_schedule& schedule,
    std::span<const strategy> strategies,
    wall_time now) {
    std::vector<replan_decision> decisions;
    std::string failed;
    std::size_t failures = 0;
    for (const auto& plan : plans) {
        TRY(const auto open, schedule.open_at(plan.at));
        if (open) {
            decisions.push_back({.plan = plan, .action = kept{}});
            continue;
        }
        TRY(const auto neighbours, find_neighbours(schedule, plan.at, now));
        auto action = try_strategies(neighbours, plan.at, strategies);
        if (action) {
            decisions.push_back({.plan = plan, .action = *std::move(action)});
        } else if (++failures <= jobs_named_max) {
            failed += (failed.empty() ? "" : ", ") + plan.job;
        }
    }
    if (failures == 0) return decisions;
    return muster::fail(
        errc::conflict,
        std::to_string(failures)
            + " planned starts are outside all windows of the new calendar; jobs: " + failed
            + (failures > jobs_named_max ? ", …" : ""));
}

planned_work_action on_schedule_change(
    const std::optional<std::string>& before, const std::optional<std::string>& after) {
    return !after || before == after ? planned_work_action::keep : planned_work_action::cancel;
}

}  // namespace muster::windows
