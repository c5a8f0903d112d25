// Calendars, rules, cron expressions and zone files come from people and from other servers: none
// may crash a parser, and none may keep an answer from being bounded.

#include "core/windows/calendar.h"

#include "core/schedules/cron.h"
#include "core/windows/recurrence.h"
#include "core/windows/tzif.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

namespace windows = muster::windows;

muster::result<windows::zone_pointer> no_zone(std::string_view) {
    return muster::fail(muster::errc::not_found, "no zones here");
}

const muster::wall_time now =
    std::chrono::sys_days(std::chrono::year(2026) / std::chrono::November / 16);

void try_calendar(std::string_view text) {
    const auto parsed = windows::calendar::parse(text, no_zone);
    if (!parsed) return;
    const auto whole = parsed->whole();
    static_cast<void>(whole.open_at(now));
    const auto found = whole.next(now, 20);
    if (!found) return;
    auto last = muster::wall_time::min();
    for (const auto& each : *found) {
        if (each.opens >= each.closes || each.opens < last) __builtin_trap();
        last = each.closes;
    }
}

void try_cron(std::string_view text) {
    const auto parsed = muster::schedules::cron::parse(text);
    if (!parsed) return;
    const auto from = std::chrono::floor<std::chrono::seconds>(now);
    const auto next = parsed->next(from, *windows::time_zone::utc());
    if (next && *next <= from) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    switch (bytes[0] % 4) {
        case 0:
            try_cron(text);
            break;
        case 1:
            static_cast<void>(windows::recurrence::parse(text));
            break;
        case 2:
            static_cast<void>(windows::parse_tzif("fuzzed", text));
            break;
        default:
            try_calendar(text);
            break;
    }
    return 0;
}
