#include "services/windows/window_admission.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace muster::windows {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using fleet::system_set;

constexpr wall_time opens = sys_days(2026y / 11 / 16) + 22h;
constexpr wall_time closes = opens + 4h;
const system_set core{system_number(1), system_number(2)};
const system_set free_of_windows{system_number(3)};

// Systems 1 and 2 have a window from 22:00 to 02:00, system 3 has no schedule.
window_snapshot one_night() {
    const time_zone_source zones = [](std::string_view) -> result<time_zone_pointer> {
        return time_zone::utc();
    };
    window_snapshot result;
    const auto put = [&](record_kind kind, std::string name, std::string document) {
        window_record row{.kind = kind, .name = std::move(name), .document = std::move(document)};
        if (kind == record_kind::assignment) row.members = encode_assignment({{"night", core}});
        row.version = 1;
        REQUIRE(result.apply(row, zones).has_value());
    };
    put(record_kind::calendar,
        "night",
        encode(stored_calendar{
            .url = {},
            .text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261116T220000Z\nDURATION:PT4H\n"
                    "END:VEVENT\nEND:VCALENDAR\n"}));
    put(record_kind::maintenance, "night", encode(maintenance_schedule_record{"single", "night"}));
    put(record_kind::assignment, part_name(system_number(1)), "{}");
    return result;
}

TEST_CASE("a start must happen so early that the work ends in its window") {
    const auto view = one_night();

    const auto observed =
        check_windows(&view, core | free_of_windows, opens, {.expected = 1h, .spare = 1s}, {});

    CHECK(observed.closed.empty());
    CHECK(observed.latest_starts == std::map<wall_time, system_set>{{closes - 1h, core}});
}

TEST_CASE("where only the start must lie in the window, it may be up to its end") {
    const auto view = one_night();

    const auto observed = check_windows(
        &view,
        core,
        opens,
        {.expected = 1h, .spare = 1s},
        {.rule = admission_policy::fit::start_within});

    CHECK(observed.latest_starts == std::map<wall_time, system_set>{{closes, core}});
}

TEST_CASE("a window without room for the work and what is spare is closed, and nobody else is") {
    const auto view = one_night();
    const expected_work hour{.expected = 1h, .spare = 1s};
    const auto both = core | free_of_windows;

    CHECK(check_windows(&view, both, closes - 1h - 1s, hour, {}).closed.empty());
    const auto late = check_windows(&view, both, closes - 1h - 999ms, hour, {});

    CHECK(late.closed == core);
    CHECK(late.latest_starts.empty());
}

TEST_CASE("while nobody knows who has a schedule, all are closed") {
    const auto observed = check_windows(nullptr, core, opens, {}, {});

    CHECK(observed.closed == core);
}

}  // namespace
}  // namespace muster::windows
