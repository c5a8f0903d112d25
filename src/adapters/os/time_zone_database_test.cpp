#include "adapters/os/time_zone_database.h"

#include <doctest/doctest.h>

namespace muster::os {
namespace {

TEST_CASE("the machine's zones are found by their names, and nothing else is") {
    time_zone_database zones;

    const auto berlin = zones.find("Europe/Berlin");

    REQUIRE(berlin);
    CHECK((*berlin)->name() == "Europe/Berlin");
    CHECK(zones.find("Europe/Berlin").value() == *berlin);  // read once
    for (const auto* const name : {"Mars/Base", "Europe", "../../../etc/passwd", "zone.tab", ""})
        CHECK(zones.find(name).error().code() == errc::not_found);
}

TEST_CASE("a machine without zones says what to install") {
    time_zone_database none("/nonexistent");

    const auto match = none.find("Europe/Berlin");

    REQUIRE_FALSE(match);
    CHECK(match.error().code() == errc::unavailable);
    CHECK(match.error().detail().ends_with("install the package tzdata"));
}

}  // namespace
}  // namespace muster::os
