#include "core/access/rate_limiter.h"
#include "core/access/retry_spreader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace muster::access {
namespace {

using namespace std::chrono_literals;

const instant start(1h);

rate_limiter::key address(std::uint32_t number) {
    rate_limiter::key bytes{};
    for (std::size_t byte = 0; byte < 4; ++byte)
        bytes.at(byte) = static_cast<unsigned char>(number >> (8 * byte));
    return bytes;
}

TEST_CASE("a burst goes through at once, then one an interval") {
    rate_limiter limiter(
        {.each = {.interval = 1s, .burst = 3}, .all = {.interval = 1ms, .burst = 100}});
    for (int i = 0; i < 3; ++i) CHECK_FALSE(limiter.take(address(1), start).has_value());

    const auto refused = limiter.take(address(1), start);
    REQUIRE(refused.has_value());
    CHECK(refused->limit == rate_limiter::bound::each);
    CHECK(refused->wait == 1s);
    CHECK_FALSE(limiter.take(address(2), start).has_value());
    CHECK_FALSE(limiter.take(address(1), start + 1s).has_value());
    CHECK(limiter.take(address(1), start + 1s).has_value());
}

TEST_CASE("all together are bounded, and who is refused by that has not used up its own") {
    rate_limiter limiter(
        {.each = {.interval = 1s, .burst = 1}, .all = {.interval = 1s, .burst = 2}});
    CHECK_FALSE(limiter.take(address(1), start).has_value());
    CHECK_FALSE(limiter.take(address(2), start).has_value());

    CHECK(limiter.take(address(3), start)->limit == rate_limiter::bound::all);
    CHECK_FALSE(limiter.take(address(3), start + 1s).has_value());
}

TEST_CASE("what is given back may be taken again, by the one who gave it") {
    rate_limiter limiter({.each = {.interval = 1h, .burst = 1}, .all = {.interval = 0s}});
    for (int i = 0; i < 100; ++i) {
        CHECK_FALSE(limiter.take(address(1), start).has_value());
        limiter.return_unused(address(1));
    }
    CHECK_FALSE(limiter.take(address(2), start).has_value());
    limiter.return_unused(address(1));
    CHECK(limiter.take(address(2), start).has_value());
}

TEST_CASE("over any time no more goes through than rate and burst allow") {
    prng random(4711);
    rate_limiter limiter(
        {.each = {.interval = 10ms, .burst = 5}, .all = {.interval = 1ms, .burst = 50}});
    auto now = start;
    std::size_t through = 0;
    for (int i = 0; i < 20'000; ++i) {
        now += std::chrono::microseconds(random.below(500));
        if (!limiter.take(address(7), now)) ++through;
    }
    const auto allowed = static_cast<std::size_t>((now - start) / 10ms) + 5;
    CHECK(through <= allowed);
    CHECK(through >= allowed - 6);
}

TEST_CASE("a flood of addresses does not fill the memory") {
    rate_limiter limiter(
        {.each = {.interval = 1s, .burst = 1},
         .all = {.interval = 1ns, .burst = 1'000'000},
         .remembered_max = 1000});
    for (std::uint32_t i = 0; i < 100'000; ++i)
        static_cast<void>(limiter.take(address(i), start + std::chrono::microseconds(i)));

    CHECK(limiter.remembered() <= 1000);
}

TEST_CASE("a storm is told to come back one after the other") {
    retry_spreader storm({.turns = {.interval = 10ms, .burst = 10}}, prng(1));
    std::vector<monotonic::duration> waits;
    for (int i = 0; i < 10'010; ++i)
        if (const auto wait = storm.take(start)) waits.push_back(*wait);

    REQUIRE(waits.size() == 10'000);
    // 10,000 at 100 a second: within any ten seconds of the 100 no more than twice the share.
    for (auto from = 0s; from < 150s; from += 10s) {
        const auto there = std::ranges::count_if(
            waits, [from](auto wait) { return wait >= from && wait < from + 10s; });
        CHECK(there <= 2'000);
    }
    CHECK(std::ranges::max(waits) <= 150s);
    CHECK(std::ranges::min(waits) >= 1s);
}

}  // namespace
}  // namespace muster::access
