#include "core/membership/lease_guard.h"

#include <doctest/doctest.h>

namespace muster::membership {
namespace {

using namespace std::chrono_literals;

constexpr instant start{};

TEST_CASE("nobody is sure of a lease that was never confirmed") {
    CHECK_FALSE(lease_guard().holds(start));
}

TEST_CASE("a lease is sure from the sending of its keep-alive, for its time less the margin") {
    lease_guard guard;

    guard.on_confirmed(start, 10s);

    CHECK(guard.holds(start + 8999ms));
    CHECK_FALSE(guard.holds(start + 9s));
}

TEST_CASE("an answer that comes late does not shorten what a later one confirmed") {
    lease_guard guard;
    guard.on_confirmed(start + 5s, 10s);

    guard.on_confirmed(start, 10s);

    CHECK(guard.sure_until() == start + 14s);
}

TEST_CASE("a lease that was given back is not sure, whatever its time") {
    lease_guard guard;
    guard.on_confirmed(start, 10s);

    guard.on_lost();

    CHECK_FALSE(guard.holds(start));
}

}  // namespace
}  // namespace muster::membership
