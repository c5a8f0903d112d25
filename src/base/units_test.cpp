#include "base/units.h"

#include <doctest/doctest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST_CASE("durations and sizes carry units, and a bare number is refused") {
    CHECK(parse_duration("30s").value() == 30s);
    CHECK(parse_duration("1h30m").value() == 90min);
    CHECK(parse_duration("7d").value() == 168h);
    CHECK(parse_size("64MiB").value() == std::int64_t{64} * 1024 * 1024);

    for (const auto* wrong : {"", "30", "s", "-1s", "1x", "1h-3m", "99999999999999999999s", "1 s"})
        CHECK(parse_duration(wrong).error().code() == errc::invalid);
    for (const auto* wrong : {"", "64", "64MB", "9999999999TiB", "-1B"})
        CHECK(parse_size(wrong).error().code() == errc::invalid);
}

TEST_CASE("a formatted duration or size reads back as itself") {
    for (const auto span : {monotonic::duration(250ms), monotonic::duration(90min), 0ns + 7s})
        CHECK(parse_duration(format_duration(span)).value() == span);
    for (const std::int64_t bytes : {0L, 1L, 1024L, 1536L, 1L << 40})
        CHECK(parse_size(format_size(bytes)).value() == bytes);
}

}  // namespace
}  // namespace muster
