#include "core/windows/overrun.h"

#include <algorithm>
#include <ranges>

namespace muster::windows {

std::string overrun::key() const {
    return schedule + "@" + std::to_string(passed.opens.time_since_epoch().count());
}

std::optional<overrun> overrun_watch::seen(
    std::string_view schedule, const window& within, std::string_view job, wall_time at) {
    if (at <= within.closes) return std::nullopt;
    overrun result{
        .schedule = std::string(schedule),
        .passed = within,
        .first_job = std::string(job),
        .seen = at};
    auto key = result.key();
    // Nearly always it is one of the last.
    const auto newest_first = told_ | std::views::reverse;
    if (std::ranges::find(newest_first, key) != newest_first.end()) return std::nullopt;
    if (told_.size() == remembered_max) told_.pop_front();
    told_.push_back(std::move(key));
    return result;
}

}  // namespace muster::windows
