#include "core/session/output_subscriptions.h"

#include <doctest/doctest.h>

namespace muster::session {
namespace {

using namespace std::chrono_literals;

constexpr instant start{};
constexpr task_name first_try{.job = 7, .attempt = 1};
constexpr task_name second_try{.job = 7, .attempt = 2};
constexpr task_name any_try{.job = 7, .attempt = 0};

TEST_CASE("a want ends by itself unless it is said again") {
    output_subscriptions wants;
    REQUIRE(wants.want(first_try, 30s, start));
    CHECK(wants.wanted(first_try, start + 29s));
    CHECK_FALSE(wants.wanted(first_try, start + 30s));

    REQUIRE(wants.want(first_try, 30s, start + 20s));
    CHECK(wants.wanted(first_try, start + 49s));
    wants.stop(first_try);
    CHECK_FALSE(wants.wanted(first_try, start + 21s));
}

TEST_CASE("no want lasts longer than an agent allows, also when none was named") {
    output_subscriptions wants;
    REQUIRE(wants.want(first_try, 24h, start));
    REQUIRE(wants.want(second_try, {}, start));
    CHECK(wants.wanted(first_try, start + output_subscriptions::lease_max - 1ns));
    CHECK_FALSE(wants.wanted(first_try, start + output_subscriptions::lease_max));
    CHECK_FALSE(wants.wanted(second_try, start + output_subscriptions::lease_max));
}

TEST_CASE("a want without an attempt is for whichever there is") {
    output_subscriptions wants;
    REQUIRE(wants.want(any_try, 30s, start));
    CHECK(wants.wanted(first_try, start));
    CHECK(wants.wanted(second_try, start));
    CHECK_FALSE(wants.wanted({.job = 8, .attempt = 1}, start));
}

TEST_CASE("only so many are wanted at once, and what ran out makes room") {
    output_subscriptions wants;
    for (std::size_t n = 0; n < output_subscriptions::wants_max; ++n)
        REQUIRE(wants.want({.job = static_cast<std::int64_t>(n + 1), .attempt = 1}, 30s, start));
    CHECK_FALSE(wants.want({.job = 100, .attempt = 1}, 30s, start + 1s));
    CHECK(wants.want({.job = 1, .attempt = 1}, 30s, start + 1s));
    CHECK(wants.want({.job = 100, .attempt = 1}, 30s, start + 30s));
    wants.stop_all();
    CHECK_FALSE(wants.wanted({.job = 100, .attempt = 1}, start + 30s));
}

}  // namespace
}  // namespace muster::session
