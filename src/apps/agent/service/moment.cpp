#include "apps/agent/service/moment.h"

#include <fmt/format.h>

#include <chrono>

namespace muster::agent {

std::string to_text(wall_time moment) {
    const auto day = std::chrono::floor<std::chrono::days>(moment);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::milliseconds>(moment - day));
    return fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count(),
        time.subseconds().count());
}

}  // namespace muster::agent
