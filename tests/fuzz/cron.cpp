// Cron expressions come from people and from other servers' clients: none may crash the parser, and
// none may lead back in time.

#include "core/schedules/cron.h"

#include "base/time.h"
#include "core/windows/time_zone.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace std::chrono;
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto parsed = muster::schedules::cron::parse(text);
    if (!parsed) return 0;
    const muster::wall_time now = sys_days(year(2026) / November / 16);
    const auto from = floor<seconds>(now);
    const auto next = parsed->next(from, *muster::windows::time_zone::utc());
    if (next && *next <= from) __builtin_trap();
    return 0;
}
