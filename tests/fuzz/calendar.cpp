// Calendars come from people and from other servers: none may crash the parser, and none may keep
// an answer from being bounded and in order.

#include "core/windows/calendar.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

namespace windows = muster::windows;

muster::result<windows::time_zone_pointer> no_zone(std::string_view) {
    return muster::fail(muster::errc::not_found, "no zones here");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace std::chrono;
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto parsed = windows::calendar::parse(text, no_zone);
    if (!parsed) return 0;
    const muster::wall_time now = sys_days(year(2026) / November / 16);
    const auto whole = parsed->all_events();
    static_cast<void>(whole.open_at(now));
    const auto match = whole.next(now, 20);
    if (!match) return 0;
    auto until = muster::wall_time::min();
    for (const auto& each : *match) {
        if (each.opens >= each.closes || each.opens < until) __builtin_trap();
        until = each.closes;
    }
    return 0;
}
