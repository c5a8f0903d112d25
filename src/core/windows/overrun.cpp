#include "core/windows/overrun.h"

#include <algorithm>
#include <ranges>

namespace muster::windows {

std::string overrun::key() const {
    return schedule + "@" + std::to_string(window.opens.time_since_epoch().count());
}

std::optional<overrun> overrun_detector::observe(
    std::string_view schedule,
    const windows::window& window,
    std::string_view job,
    wall_time time) {
    if (time <= window.closes) return std::nullopt;
    overrun result{
        .schedule = std::string(schedule),
        .window = window,
        .first_job = std::string(job),
        .seen_at = time};
    auto key = result.key();
    // A known key is nearly always among the newest.
    const auto newest_first = reported_ | std::views::reverse;
    if (std::ranges::find(newest_first, key) != newest_first.end()) return std::nullopt;
    if (reported_.size() == remembered_max) reported_.pop_front();
    reported_.push_back(std::move(key));
    return result;
}

}  // namespace muster::windows
