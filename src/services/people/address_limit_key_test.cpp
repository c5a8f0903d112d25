#include "services/people/address_limit_key.h"

#include <doctest/doctest.h>

namespace muster::people {
namespace {

TEST_CASE("addresses of one IPv6 network count as one, those of IPv4 each for itself") {
    CHECK(address_limit_key("192.0.2.7") == "192.0.2.7");
    CHECK(address_limit_key("::ffff:192.0.2.7") == "192.0.2.7");
    CHECK(address_limit_key("2001:db8:1:2:3::4") == address_limit_key("2001:db8:1:2::1"));
    CHECK(address_limit_key("2001:db8:1:2::1") != address_limit_key("2001:db8:1:3::1"));
    CHECK(address_limit_key("here") == "here");
}

}  // namespace
}  // namespace muster::people
