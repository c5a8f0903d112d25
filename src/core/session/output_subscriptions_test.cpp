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
    REQUIRE(wants.subscribe(first_try, 30s, start));
    CHECK(wants.is_subscribed(first_try, start + 29s));
    CHECK_FALSE(wants.is_subscribed(first_try, start + 30s));

    REQUIRE(wants.subscribe(first_try, 30s, start + 20s));
    CHECK(wants.is_subscribed(first_try, start + 49s));
    wants.unsubscribe(first_try);
    CHECK_FALSE(wants.is_subscribed(first_try, start + 21s));
}

TEST_CASE("no want lasts longer than an agent allows, also when none was named") {
    output_subscriptions wants;
    REQUIRE(wants.subscribe(first_try, 24h, start));
    REQUIRE(wants.subscribe(second_try, {}, start));
    CHECK(wants.is_subscribed(first_try, start + output_subscriptions::lease_max - 1ns));
    CHECK_FALSE(wants.is_subscribed(first_try, start + output_subscriptions::lease_max));
    CHECK_FALSE(wants.is_subscribed(second_try, start + output_subscriptions::lease_max));
}

TEST_CASE("a want without an attempt is for whichever there is") {
    output_subscriptions wants;
    REQUIRE(wants.subscribe(any_try, 30s, start));
    CHECK(wants.is_subscribed(first_try, start));
    CHECK(wants.is_subscribed(second_try, start));
    CHECK_FALSE(wants.is_subscribed({.job = 8, .attempt = 1}, start));
}

TEST_CASE("only so many are wanted at once, and what ran out makes room") {
    output_subscriptions wants;
    for (std::size_t n = 0; n < output_subscriptions::subscriptions_max; ++n)
        REQUIRE(
            wants.subscribe({.job = static_cast<std::int64_t>(n + 1), .attempt = 1}, 30s, start));
    CHECK_FALSE(wants.subscribe({.job = 100, .attempt = 1}, 30s, start + 1s));
    CHECK(wants.subscribe({.job = 1, .attempt = 1}, 30s, start + 1s));
    CHECK(wants.subscribe({.job = 100, .attempt = 1}, 30s, start + 30s));
    wants.clear();
    CHECK_FALSE(wants.is_subscribed({.job = 100, .attempt = 1}, start + 30s));
}

}  // namespace
}  // namespace muster::session
