#include "core/lifecycle/actor_scope.h"

#include <doctest/doctest.h>

namespace muster::lifecycle {
namespace {

system_record in_zone(std::string zone) {
    system_record system{.print = fingerprint(fingerprint::bytes_type{})};
    system.name = "web1";
    system.zone = std::move(zone);
    return system;
}

TEST_CASE("who decides in one zone decides about its systems and those in none yet, no others") {
    const actor_scope ann("ann", std::set<std::string>{"eu"});

    CHECK(ann.check(in_zone("eu")).has_value());
    CHECK(ann.check(in_zone("")).has_value());
    const auto elsewhere = ann.check(in_zone("us"));
    REQUIRE(!elsewhere.has_value());
    CHECK(elsewhere.error().code() == errc::denied);
    CHECK(elsewhere.error().detail().contains("zone \"us\""));
    CHECK(ann.check(std::nullopt).error().code() == errc::not_found);
}

TEST_CASE("who decides in the whole cluster decides about every key, also one that is not known") {
    const actor_scope admin("admin");

    CHECK(admin.check(in_zone("us")).has_value());
    CHECK(admin.check(std::nullopt).has_value());
}

}  // namespace
}  // namespace muster::lifecycle
