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
    auto admission = two_an_address();
    std::vector<http::admission::permit> permits;
    const auto admits = [&](const char* client) {
        auto permit = admission.admit(make_address(client));
        if (permit) permits.push_back(*std::move(permit));
        return permit.has_value();
    };

    CHECK(admits("2001:db8:1:1::1"));
    CHECK(admits("2001:db8:1:1:ffff::2"));
    CHECK_FALSE(admits("2001:db8:1:1::3"));
    CHECK(admits("2001:db8:1:2::1"));
}

TEST_CASE("an IPv4 client is the same one, whichever way its address is written") {
    auto admission = two_an_address();
    const auto plain = admission.admit(make_address("192.0.2.1"));
    const auto mapped = admission.admit(make_address("::ffff:192.0.2.1"));

    CHECK(plain.has_value());
    CHECK(mapped.has_value());
    CHECK(admission.admit(make_address("192.0.2.1")).error() == admission_error::per_address);
    CHECK(admission.admit(make_address("192.0.2.2")).has_value());
}

TEST_CASE("a place that is given back is free for the next") {
    auto admission = two_an_address();
    const auto first = admission.admit(make_address("192.0.2.1"));
    {
        const auto second = admission.admit(make_address("192.0.2.1"));
        CHECK_FALSE(admission.admit(make_address("192.0.2.1")).has_value());
    }

    CHECK(admission.admit(make_address("192.0.2.1")).has_value());
    CHECK(admission.size() == 1);
}

}  // namespace
}  // namespace muster::net::http
