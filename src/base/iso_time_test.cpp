#include "base/iso_time.h"

#include <doctest/doctest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST_CASE("times are UTC, exact and real") {
    const auto moment = parse_iso_time("2026-11-16T22:00:01Z");
    REQUIRE(moment);
    CHECK(iso_time(*moment) == "2026-11-16T22:00:01Z");
    CHECK(*parse_iso_time("2026-11-16T22:00:01.25Z") - *moment == std::chrono::milliseconds(250));
    for (const auto* wrong :
         {"",
          "2026-11-16",
          "2026-02-29T00:00:00Z",
          "2026-11-16T24:00:00Z",
          "2026-11-16T22:00:60Z",
          "2026-11-16T22:00:00",
          "2026-11-16T22:00:00+01:00",
          "2026-11-16T22:00:00ZZ",
          "2026-11-16T22:00:00.Z",
          "2026-11-16T22:00:00.1234567Z",
          "-026-11-16T22:00:00Z"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parse_iso_time(wrong));
    }
}

TEST_CASE("a time is written with the digits that are asked for, and no more is rounded up") {
    const auto moment = *parse_iso_time("2023-11-14T22:13:20Z");
    using enum iso_precision;
    CHECK(iso_time(moment + 42'999us, milliseconds) == "2023-11-14T22:13:20.042Z");
    CHECK(iso_time(moment + 42'999us, microseconds) == "2023-11-14T22:13:20.042999Z");
    CHECK(iso_time(moment + 999'999us) == "2023-11-14T22:13:20Z");
    CHECK(iso_time(moment, milliseconds) == "2023-11-14T22:13:20.000Z");
    CHECK(*parse_iso_time(iso_time(moment + 42'999us, microseconds)) == moment + 42'999us);
}

TEST_CASE("times before the epoch and at the ends of what can be read are written, too") {
    CHECK(iso_time(wall_time(-1us)) == "1969-12-31T23:59:59Z");
    CHECK(iso_time(wall_time(-1us), iso_precision::microseconds) == "1969-12-31T23:59:59.999999Z");
    CHECK(iso_time(wall_time()) == "1970-01-01T00:00:00Z");
    CHECK(iso_time(wall_time::max()) == "9999-12-31T23:59:59Z");
    CHECK(iso_time(wall_time::min()) == "0000-01-01T00:00:00Z");
    CHECK(parse_iso_time(iso_time(wall_time::max())));
    CHECK(parse_iso_time(iso_time(wall_time::min())));
}

}  // namespace
}  // namespace muster
