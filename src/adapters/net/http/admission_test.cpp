#include "adapters/net/http/admission.h"

#include <doctest/doctest.h>

#include <vector>

namespace muster::net::http {
namespace {

using boost::asio::ip::make_address;

admission two_an_address() {
    limits allowed;
    allowed.connections_per_address_max = 2;
    return {allowed, {}};
}

TEST_CASE("the addresses of one IPv6 network count as one, those of others apart") {
    auto door = two_an_address();
    std::vector<admission::place> inside;
    const auto enters = [&](const char* client) {
        auto place = door.enter(make_address(client));
        if (place) inside.push_back(*std::move(place));
        return place.has_value();
    };

    CHECK(enters("2001:db8:1:1::1"));
    CHECK(enters("2001:db8:1:1:ffff::2"));
    CHECK_FALSE(enters("2001:db8:1:1::3"));
    CHECK(enters("2001:db8:1:2::1"));
}

TEST_CASE("an IPv4 client is the same one, whichever way its address is written") {
    auto door = two_an_address();
    const auto plain = door.enter(make_address("192.0.2.1"));
    const auto mapped = door.enter(make_address("::ffff:192.0.2.1"));

    CHECK(plain.has_value());
    CHECK(mapped.has_value());
    CHECK(door.enter(make_address("192.0.2.1")).error() == admission_refused::per_address);
    CHECK(door.enter(make_address("192.0.2.2")).has_value());
}

TEST_CASE("a place that is given back is free for the next") {
    auto door = two_an_address();
    const auto first = door.enter(make_address("192.0.2.1"));
    {
        const auto second = door.enter(make_address("192.0.2.1"));
        CHECK_FALSE(door.enter(make_address("192.0.2.1")).has_value());
    }

    CHECK(door.enter(make_address("192.0.2.1")).has_value());
    CHECK(door.size() == 1);
}

}  // namespace
}  // namespace muster::net::http
