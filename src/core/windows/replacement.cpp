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
    for (auto& each : result)
        if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
    return result;
}

// The windows beside a start that is in none, as far as work can still begin in them.
struct neighbours {
    std::optional<wall_time> previous;
    std::optional<wall_time> next;
};

result<neighbours> around(const timetable& by, wall_time planned, wall_time now) {
    neighbours match;
    TRY(const auto later, by.windows_between(planned, planned + search_span, 1));
    if (!later.empty()) match.next = std::max(later.front().opens, now);
    if (now >= planned) return match;
    const auto since = std::max(now, planned - search_span);
    TRY(const auto earlier, by.windows_between(since, planned, timetable_limits::windows_max));
    if (!earlier.empty()) match.previous = std::max(earlier.back().opens, now);
    return match;
}

std::optional<wall_time> nearest(const neighbours& of, wall_time planned) {
    if (!of.previous || !of.next) return of.previous ? of.previous : of.next;
    return planned - *of.previous < *of.next - planned ? of.previous : of.next;
}

using verdict = std::variant<kept, moved, cancelled>;

// Nothing: it failed.
std::optional<verdict> first_that_works(
    const neighbours& beside, wall_time planned, std::span<const strategy> order) {
    for (const auto each : order) {
        std::optional<wall_time> to;
        switch (each) {
            case strategy::nearest:
                to = nearest(beside, planned);
                break;
            case strategy::previous:
                to = beside.previous;
                break;
            case strategy::next:
                to = beside.next;
                break;
            case strategy::cancel:
                return cancelled{};
            case strategy::fail:
                return std::nullopt;
        }
        if (to) return moved{.to = *to, .by = each};
    }
    return std::nullopt;
}

}  // namespace

result<std::vector<strategy>> parse_strategies(std::string_view text) {
    std::vector<strategy> order;
    while (true) {
        const auto comma = text.find(',');
        const auto word = lower(text.substr(0, comma));
        const auto* const found =
            std::ranges::find(names, word, &std::pair<strategy, std::string_view>::second);
        if (found == names.end())
            return fail(
                errc::invalid,
                "'" + word + "' is not one of Nearest, Previous, Next, Cancel and Fail");
        if (std::ranges::find(order, found->first) != order.end())
            return muster::fail(errc::invalid, "the strategy " + word + " stands twice");
        order.push_back(found->first);
        if (comma == std::string_view::npos) return order;
        text.remove_prefix(comma + 1);
    }
}

std::string_view to_string(strategy which) {
    return std::ranges::find(names, which, &std::pair<strategy, std::string_view>::first)->second;
}

result<std::vector<replanned>> replan(
    std::span<const planned_start> plans,
    const timetable& by,
    std::span<const strategy> order,
    wall_time now) {
    std::vector<replanned> outcome;
    std::string failed;
    std::size_t failures = 0;
    for (const auto& plan : plans) {
        TRY(const auto open, by.open_at(plan.at));
        if (open) {
            outcome.push_back({.plan = plan, .verdict = kept{}});
            continue;
        }
        TRY(const auto beside, around(by, plan.at, now));
        auto decided = first_that_works(beside, plan.at, order);
        if (decided) {
            outcome.push_back({.plan = plan, .verdict = *std::move(decided)});
        } else if (++failures <= jobs_named_max) {
            failed += (failed.empty() ? "" : ", ") + plan.job;
        }
    }
    if (failures == 0) return outcome;
    return muster::fail(
        errc::conflict,
        std::to_string(failures) + " planned starts are in no window of the new calendar: " + failed
            + (failures > jobs_named_max ? ", …" : ""));
}

planned_work after_assignment(
    const std::optional<std::string>& before, const std::optional<std::string>& after) {
    return !after || before == after ? planned_work::stays : planned_work::is_cancelled;
}

}  // namespace muster::windows
