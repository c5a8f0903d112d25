#include "core/model/fingerprint.h"
#include "core/model/slot.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <rapidcheck.h>
#include <string>
#include <vector>

namespace muster {
namespace {

fingerprint numbered(std::uint64_t number) {
    fingerprint::bytes_type bytes{};
    for (std::size_t at = 0; at < 8; ++at)
        bytes[at] = static_cast<unsigned char>(number >> (8 * at));
    return fingerprint(bytes);
}

TEST_CASE("every fingerprint reads back from its text, with colons or without") {
    CHECK(rc::check([](std::uint64_t number) {
        const fingerprint web1 = numbered(number);
        std::string bare = web1.str();
        std::erase(bare, ':');

        RC_ASSERT(fingerprint::parse(web1.str()).value() == web1);
        RC_ASSERT(fingerprint::parse(bare).value() == web1);
    }));
}

TEST_CASE("a fingerprint with a missing, misplaced or foreign character is refused") {
    const std::string good = numbered(1).str();

    CHECK_FALSE(fingerprint::parse("").has_value());
    CHECK_FALSE(fingerprint::parse(good.substr(1)).has_value());
    CHECK_FALSE(fingerprint::parse("g" + good.substr(1)).has_value());
    std::string misplaced = good;
    std::swap(misplaced[1], misplaced[2]);
    CHECK_FALSE(fingerprint::parse(misplaced).has_value());
}

TEST_CASE("a system's slot is fixed for ever") {
    CHECK(slot::of(numbered(0)).number() == 2461);
    CHECK(slot::of(numbered(1)).number() == 10370);
    CHECK(slot::of(numbered(4711)).number() == 4660);
}

TEST_CASE("slots are filled evenly") {
    std::vector<int> population(slot::count);
    for (std::uint64_t system = 0; system < 1'000'000; ++system)
        ++population[slot::of(numbered(system)).number()];

    const auto [least, most] = std::ranges::minmax(population);
    CHECK(least > 20);
    CHECK(most < 120);
}

}  // namespace
}  // namespace muster
