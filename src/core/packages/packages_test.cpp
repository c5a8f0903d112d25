#include "base/prng.h"
#include "core/packages/available_packages.h"
#include "core/packages/comparison.h"
#include "core/packages/number_set.h"
#include "core/packages/version_order.h"

#include <doctest/doctest.h>

#include <map>

namespace muster::packages {
namespace {

std::string word(prng& random, std::string_view signs, std::size_t most) {
    std::string result;
    for (auto left = 1 + random.below(most); left > 0; --left)
        result += signs[random.below(signs.size())];
    return result;
}

package named(
    const std::string& name, const std::string& edition, const std::string& arch = "x86_64") {
    return {.name = name, .at = parse_edition(edition), .arch = arch};
}
offer_ref offered(std::uint32_t number, package package) {
    return std::make_shared<const available_package>(
        available_package{.number = number, .kind = family::rpm, .what = std::move(package)});
}

TEST_CASE("an epoch counts before a version, and a version before a release") {
    const auto newer = [](const char* name, const char* other) {
        return is_newer(family::rpm, parse_edition(name), parse_edition(other));
    };
    CHECK(newer("1:0.9-1", "1.0-9"));
    CHECK(newer("2.0-1", "1.0-9"));
    CHECK(newer("1.0-10", "1.0-9"));
    CHECK(!newer("0:1.0-1", "1.0-1"));
    CHECK(newer("1.0-1", "1.0~rc1-1"));
    CHECK(newer("1.0^git1-1", "1.0-1"));
}

TEST_CASE("an installed package is upgraded by the newest of its name and architecture") {
    const available_packages available(
        {offered(1, named("foo", "1.0-1")),
         offered(2, named("foo", "1.0-3")),
         offered(3, named("foo", "1.0-2")),
         offered(4, named("foo", "9.0-1", "aarch64")),
         offered(5, named("bar", "1.0-1")),
         offered(6, named("docs", "2-1", "noarch"))});
    const auto installed = make_list(
        family::rpm,
        {named("foo", "1.0-1"), named("bar", "1.0-1"), named("docs", "1-1"), named("own", "1-1")});
    const auto upgrades = upgrades_of(installed, available);
    REQUIRE(upgrades.size() == 2);
    CHECK(upgrades[0].from.name == "docs");
    CHECK(upgrades[0].to->number == 6);
    CHECK(upgrades[1].to->number == 2);
    CHECK(newer_numbers(installed, available) == number_set{2, 3, 6});
    CHECK(available.newest_of_all().size() == 4);
}

TEST_CASE("of a package that is installed several times, the newest counts") {
    const auto installed =
        make_list(family::rpm, {named("kernel", "5.1-1"), named("kernel", "5.3-1")});
    const available_packages older({offered(1, named("kernel", "5.2-1"))});
    CHECK(upgrades_of(installed, older).empty());
    const available_packages newer({offered(2, named("kernel", "5.4-1"))});
    const auto upgrades = upgrades_of(installed, newer);
    REQUIRE(upgrades.size() == 1);
    CHECK(upgrades.front().from.at.version == "5.3");
}

TEST_CASE("what is found newer is what a look at every pair finds newer") {
    prng random(7);
    for (int round = 0; round < 50; ++round) {
        CAPTURE(round);
        std::vector<package> has;
        std::vector<offer_ref> offers;
        for (int left = 20; left > 0; --left)
            has.push_back(named(word(random, "abc", 1), word(random, "0123", 2) + "-1"));
        for (std::uint32_t number = 1; number <= 40; ++number)
            offers.push_back(
                offered(number, named(word(random, "abcd", 1), word(random, "0123", 2) + "-1")));
        const auto installed = make_list(family::rpm, has);
        std::vector<std::uint32_t> expected;
        for (const auto& offer : offers) {
            bool there = false;
            bool newer = true;
            for (const auto& one : installed.all) {
                if (one.name != offer->what.name) continue;
                there = true;
                newer = newer && is_newer(family::rpm, offer->what.at, one.at);
            }
            if (there && newer) expected.push_back(offer->number);
        }
        CHECK(newer_numbers(installed, available_packages(offers)) == make_set(expected));
    }
}

TEST_CASE("two systems differ in what one lacks and in what is newer on one") {
    const auto here = make_list(
        family::rpm,
        {named("same", "1-1"), named("only", "1-1"), named("old", "1-1"), named("new", "2-1")});
    const auto there = make_list(
        family::rpm,
        {named("same", "1-1"), named("other", "1-1"), named("old", "2-1"), named("new", "1-1")});
    std::map<std::string, difference> differences;
    for (const auto& each : compare_lists(here, there))
        differences[each.here ? each.here->name : each.there->name] = each.differs;
    CHECK(
        differences
        == std::map<std::string, difference>{
            {"only", difference::here_only},
            {"other", difference::there_only},
            {"old", difference::newer_there},
            {"new", difference::newer_here}});
}

TEST_CASE("a set of numbers is read back as it was written, and nothing else is one") {
    prng random(11);
    for (int round = 0; round < 100; ++round) {
        CAPTURE(round);
        std::vector<std::uint32_t> some;
        for (auto left = random.below(50); left > 0; --left)
            some.push_back(1 + static_cast<std::uint32_t>(random.below(UINT32_MAX - 1)));
        const auto numbers = make_set(some);
        CHECK(decode_numbers(encode(numbers)).value() == numbers);
    }
    CHECK(decode_numbers("\x80").error().code() == errc::corrupt);
    CHECK(decode_numbers(std::string(1, '\0')).error().code() == errc::corrupt);
    CHECK(decode_numbers("\xff\xff\xff\xff\xff\xff\x01").error().code() == errc::corrupt);
    CHECK(decode_numbers("\xff\xff\xff\xff\x0f\x01").error().code() == errc::corrupt);
}

}  // namespace
}  // namespace muster::packages
