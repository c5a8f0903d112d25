#include "runtime/clock_jump_detector.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

namespace muster::runtime {
namespace {

// Update it with each release.
constexpr wall_time release_date =
    std::chrono::sys_days(std::chrono::year(2026) / std::chrono::November / 1);

}  // namespace

std::optional<monotonic::duration> clock_jump_detector::check(instant now, wall_time wall) {
    const auto previous = previous_;
    previous_ = sample{.now = now, .wall = wall};
    if (!previous) return std::nullopt;
    const monotonic::duration jump = (wall - previous->wall) - (now - previous->now);
    if (std::chrono::abs(jump) <= tolerance_) return std::nullopt;
    return jump;
}

result<void> check_wall_clock(wall_time wall) {
    if (wall >= release_date) return {};
    const auto seconds = std::chrono::floor<std::chrono::seconds>(wall);
    return fail(
        errc::invalid,
        fmt::format(
            "system clock is wrong: {:%Y-%m-%d %H:%M:%S} UTC is before the release of this "
            "version; "
            "set the clock, check the time service, and start again",
            fmt::gmtime(std::chrono::system_clock::to_time_t(
                std::chrono::time_point_cast<std::chrono::system_clock::duration>(seconds)))));
}

}  // namespace muster::runtime
