#include "services/people/neighbourhood.h"

#include <doctest/doctest.h>

namespace muster::people {
namespace {

TEST_CASE("addresses of one IPv6 network count as one, those of IPv4 each for itself") {
    CHECK(neighbourhood("192.0.2.7") == "192.0.2.7");
    CHECK(neighbourhood("::ffff:192.0.2.7") == "192.0.2.7");
    CHECK(neighbourhood("2001:db8:1:2:3::4") == neighbourhood("2001:db8:1:2::1"));
    CHECK(neighbourhood("2001:db8:1:2::1") != neighbourhood("2001:db8:1:3::1"));
    CHECK(neighbourhood("here") == "here");
}

}  // namespace
}  // namespace muster::people
