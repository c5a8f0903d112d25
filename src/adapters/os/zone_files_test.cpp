#include "adapters/os/zone_files.h"

#include <doctest/doctest.h>

namespace muster::os {
namespace {

TEST_CASE("the machine's zones are found by their names, and nothing else is") {
    zone_files zones;

    const auto berlin = zones.find("Europe/Berlin");

    REQUIRE(berlin);
    CHECK((*berlin)->name() == "Europe/Berlin");
    CHECK(zones.find("Europe/Berlin").value() == *berlin);  // read once
    for (const auto* const name : {"Mars/Base", "Europe", "../../../etc/passwd", "zone.tab", ""})
        CHECK(zones.find(name).error().code() == errc::not_found);
}

TEST_CASE("a machine without zones says what to install") {
    zone_files none("/nonexistent");

    const auto found = none.find("Europe/Berlin");

    REQUIRE_FALSE(found);
    CHECK(found.error().code() == errc::unavailable);
    CHECK(found.error().detail().ends_with("install the package tzdata"));
}

}  // namespace
}  // namespace muster::os
