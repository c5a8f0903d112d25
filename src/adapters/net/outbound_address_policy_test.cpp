#include "adapters/net/outbound_address_policy.h"

#include "tests/harness/run_sync.h"

#include <doctest/doctest.h>

namespace muster::net {
namespace {

using boost::asio::ip::make_address;
using boost::asio::ip::tcp;

bool may_call(
    const outbound_address_policy::options& options,
    const char* address,
    unsigned short port = 80) {
    const outbound_address_policy gate(options);
    const auto filter = harness::run_sync(gate.resolve_filter()).value();
    return filter->allows(tcp::endpoint(make_address(address), port));
}

TEST_CASE("nobody is led to this machine, however it is written, unless its operator allows it") {
    for (const char* each :
         {"127.0.0.1", "127.8.8.8", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:0.0.0.0"}) {
        CAPTURE(each);
        CHECK_FALSE(may_call({}, each));
        CHECK(may_call({.allow_loopback = true}, each));
    }
}

TEST_CASE("nobody is led to link-local and multicast addresses") {
    for (const char* each : {"169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "224.0.0.1"}) {
        CAPTURE(each);
        CHECK_FALSE(may_call({.allow_loopback = true}, each));
    }
    CHECK(may_call({}, "192.0.2.7"));
    CHECK(may_call({}, "10.0.0.7"));  // where mirrors usually are
    CHECK(may_call({}, "2001:db8::7"));
}

TEST_CASE("nobody is led to servers and engines, by whichever address of theirs") {
    const outbound_address_policy::options options{.allow_loopback = true, .blocked = [] {
                                                       return std::vector<endpoint>{
                                                           {.host = "192.0.2.7", .port = 8443},
                                                           {.host = "localhost", .port = 5432}};
                                                   }};
    CHECK_FALSE(may_call(options, "192.0.2.7", 8443));
    CHECK_FALSE(may_call(options, "::ffff:192.0.2.7", 8443));
    CHECK_FALSE(may_call(options, "127.0.0.1", 5432));
    CHECK_FALSE(may_call(options, "::1", 5432));
    CHECK(may_call(options, "192.0.2.7", 443));
    CHECK(may_call(options, "127.0.0.1", 443));
}

}  // namespace
}  // namespace muster::net
