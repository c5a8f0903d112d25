#include "core/membership/zone_tree.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <rapidcheck.h>

namespace muster::membership {
namespace {

const zone_tree::parents retail{
    {"germany", ""}, {"bavaria", "germany"}, {"munich", "bavaria"}, {"france", ""}};

TEST_CASE("a zone lies within itself, its ancestors and the root, and in nothing else") {
    const zone_tree tree(retail);

    CHECK(tree.is_within("munich", "munich"));
    CHECK(tree.is_within("munich", "germany"));
    CHECK(tree.is_within("munich", ""));
    CHECK_FALSE(tree.is_within("germany", "munich"));
    CHECK_FALSE(tree.is_within("munich", "france"));
}

TEST_CASE("a zone cannot be put within itself, nor under a zone that is not there") {
    const zone_tree tree(retail);

    CHECK(tree.check_parent("germany", "munich")
              .error()
              .detail()
              .contains("inside zone \"germany\""));
    CHECK(tree.check_parent("france", "spain").error().detail() == "zone \"spain\" not found");
    CHECK(tree.check_parent("france", "bavaria").has_value());
    CHECK(tree.check_parent("munich", "").has_value());
}

TEST_CASE("the children of a zone are those right under it") {
    CHECK(zone_tree(retail).children_of("germany") == std::vector<std::string>{"bavaria"});
    CHECK(zone_tree(retail).children_of("munich").empty());
}

TEST_CASE("whatever parents are taken one after the other, no path ever runs in a circle") {
    CHECK(rc::check([](std::uint64_t seed) {
        prng random(seed);
        zone_tree::parents zones;
        for (int number = 0; number < 40; ++number) zones["z" + std::to_string(number)] = "";
        for (int step = 0; step < 300; ++step) {
            const auto zone = "z" + std::to_string(random.below(40));
            const auto parent = "z" + std::to_string(random.below(40));
            if (zone_tree(zones).check_parent(zone, parent)) zones[zone] = parent;
        }
        for (const auto& [name, parent] : zones) {
            const auto path = zone_tree(zones).path_up(name);
            RC_ASSERT(zones.at(path.back()).empty());
        }
    }));
}

}  // namespace
}  // namespace muster::membership
