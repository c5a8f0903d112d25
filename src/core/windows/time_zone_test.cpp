#include "core/windows/time_zone.h"

#include "core/windows/posix_rule.h"
#include "core/windows/tzif.h"
#include "tests/harness/system_zones.h"

#include <doctest/doctest.h>

namespace muster::windows {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

time_zone_pointer zone(const std::string& name) {
    const auto read = parse_tzif(name, harness::zone_bytes(name));
    REQUIRE_MESSAGE(read, name);
    return *read;
}

sys_seconds utc(year_month_day day, seconds time) {
    return sys_days(day) + time;
}
local_seconds local(year_month_day day, seconds time) {
    return local_days(day) + time;
}

TEST_CASE("a local time is told by the offset that holds on its day") {
    const auto berlin = zone("Europe/Berlin");

    CHECK(berlin->to_utc(local(2026y / 1 / 15, 22h)) == utc(2026y / 1 / 15, 21h));
    CHECK(berlin->to_utc(local(2026y / 7 / 15, 22h)) == utc(2026y / 7 / 15, 20h));
    CHECK(berlin->to_local(utc(2026y / 7 / 15, 20h)) == local(2026y / 7 / 15, 22h));
}

TEST_CASE("a local time that the clocks skip is read with the offset from before the gap") {
    const auto berlin = zone("Europe/Berlin");

    CHECK(berlin->to_utc(local(2026y / 3 / 29, 1h + 59min)) == utc(2026y / 3 / 29, 59min));
    CHECK(berlin->to_utc(local(2026y / 3 / 29, 2h + 30min)) == utc(2026y / 3 / 29, 1h + 30min));
    CHECK(berlin->to_utc(local(2026y / 3 / 29, 3h)) == utc(2026y / 3 / 29, 1h));
}

TEST_CASE("a local time that the clocks show twice is the first of the two") {
    const auto berlin = zone("Europe/Berlin");
    const auto new_york = zone("America/New_York");

    CHECK(berlin->to_utc(local(2026y / 10 / 25, 2h + 30min)) == utc(2026y / 10 / 25, 30min));
    CHECK(berlin->to_utc(local(2026y / 10 / 25, 3h)) == utc(2026y / 10 / 25, 2h));
    CHECK(new_york->to_utc(local(2026y / 11 / 1, 1h + 30min)) == utc(2026y / 11 / 1, 5h + 30min));
}

TEST_CASE("the rule at the end of a zone holds for years that the database does not list") {
    const auto berlin = zone("Europe/Berlin");

    CHECK(berlin->offset_at(utc(2080y / 7 / 1, 0h)) == 2h);
    CHECK(berlin->offset_at(utc(2080y / 12 / 1, 0h)) == 1h);
}

TEST_CASE("a zone south of the equator has its summer over the new year") {
    const auto changes = expand_posix_rule("NZST-12NZDT,M9.5.0,M4.1.0/3", 2026y);

    REQUIRE(changes);
    CHECK(changes->front() == time_zone::change{utc(2026y / 4 / 4, 14h), 12h});
    CHECK((*changes)[1] == time_zone::change{utc(2026y / 9 / 26, 14h), 13h});
}

TEST_CASE("rules of zones may count days in three ways") {
    const auto first = [](const char* rule) {
        const auto changes = expand_posix_rule(rule, 2028y);  // a leap year
        REQUIRE(changes);
        return changes->front().at;
    };

    CHECK(first("AAA0BBB,J60/0,J300") == utc(2028y / 3 / 1, 0h));
    CHECK(first("AAA0BBB,59/0,300") == utc(2028y / 2 / 29, 0h));
    CHECK(first("AAA0BBB,M2.5.2/0,M10.5.0") == utc(2028y / 2 / 29, 0h));
    CHECK(expand_posix_rule("<+0330>-3:30", 2028y)->empty());
}

TEST_CASE("what is no zone is refused") {
    const auto berlin = harness::zone_bytes("Europe/Berlin");
    REQUIRE(berlin.size() > 100);

    CHECK(parse_tzif("x", "").error().code() == errc::corrupt);
    CHECK(parse_tzif("x", "TZif2 and then nothing").error().code() == errc::corrupt);
    for (std::size_t stored = 0; stored + 1 < berlin.size(); stored += 7)
        CHECK_FALSE(parse_tzif("x", std::string_view(berlin).substr(0, stored)));
    CHECK_FALSE(expand_posix_rule("CET-1CEST,M13.5.0,M10.5.0/3", 2026y));
    CHECK_FALSE(expand_posix_rule("CET-1CEST", 2026y));
}

TEST_CASE("the name of a zone cannot lead out of the database") {
    CHECK(is_zone_name("Europe/Berlin"));
    CHECK(is_zone_name("Etc/GMT+5"));
    CHECK_FALSE(is_zone_name("../../etc/passwd"));
    CHECK_FALSE(is_zone_name("/etc/passwd"));
    CHECK_FALSE(is_zone_name(""));
}

}  // namespace
}  // namespace muster::windows
