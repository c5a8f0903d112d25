#include "runtime/clock_jump_detector.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

namespace muster::runtime {
namespace {

// Raised with each release.
constexpr wall_time made_not_before =
    std::chrono::sys_days(std::chrono::year(2026) / std::chrono::November / 1);

}  // namespace

std::optional<monotonic::duration> clock_jump_detector::look(instant now, wall_time wall) {
    const auto last = last_;
    last_ = sample{.now = now, .wall = wall};
    if (!last) return std::nullopt;
    const monotonic::duration jump = (wall - last->wall) - (now - last->now);
    if (std::chrono::abs(jump) <= tolerated_) return std::nullopt;
    return jump;
}

result<void> check_wall_clock(wall_time wall) {
    if (wall >= made_not_before) return {};
    const auto seconds = std::chrono::floor<std::chrono::seconds>(wall);
    return fail(
        errc::invalid,
        fmt::format(
            "the clock says {:%Y-%m-%d %H:%M:%S} UTC, which is before this version of muster was "
            "made; set the clock (is a time service running?) and start again",
            fmt::gmtime(std::chrono::system_clock::to_time_t(
                std::chrono::time_point_cast<std::chrono::system_clock::duration>(seconds)))));
}

}  // namespace muster::runtime
