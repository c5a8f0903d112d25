#include "base/endpoint.h"

#include <doctest/doctest.h>

namespace muster {
namespace {

TEST_CASE("an address prints as it is read") {
    for (const auto* text : {"127.0.0.1:8443", "[::1]:8443", "web1.acme.org:1"})
        CHECK(to_string(parse_endpoint(text).value()) == text);
}

TEST_CASE("the port may be left out where there is a usual one") {
    CHECK(parse_endpoint("node1:8443", 5).value() == endpoint{.host = "node1", .port = 8443});
    CHECK(parse_endpoint("[::1]", 5).value() == endpoint{.host = "::1", .port = 5});
}

TEST_CASE("what is no address is refused with the right form") {
    for (const auto* text :
         {"",
          ":8443",
          "host",
          "host:",
          "host:x",
          "host:1x",
          "host:70000",
          "a b:1",
          "::1:8443",
          "[::1",
          "[x]:1"}) {
        CAPTURE(text);
        const auto refused = parse_endpoint(text);
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().code() == errc::invalid);
        CHECK(refused.error().detail().find("HOST:PORT") != std::string::npos);
    }
}

}  // namespace
}  // namespace muster
