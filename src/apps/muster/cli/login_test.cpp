#include "apps/muster/cli/login.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::cli {
namespace {

TEST_CASE("a login has a token and an end, and tells whether the password must be changed") {
    const auto opened = read_login_response(boost::json::parse(
        R"({"token":"d00d","user":"ann","expires":"2026-11-17T01:00:00Z","must_change":true})"));
    const auto older = read_login_response(
        boost::json::parse(R"({"token":"d00d","expires":"2026-11-17T01:00:00Z"})"));

    REQUIRE(opened);
    CHECK(opened->token == "d00d");
    CHECK(opened->result.expires == "2026-11-17T01:00:00Z");
    CHECK(opened->result.must_change);
    REQUIRE(older);
    CHECK_FALSE(older->result.must_change);
}

TEST_CASE("an answer without a token or an end is no login") {
    for (const auto* wrong :
         {R"({"expires":"2026-11-17T01:00:00Z"})",
          R"({"token":"d00d"})",
          R"({"token":7,"expires":"2026-11-17T01:00:00Z"})",
          "[]",
          "null"}) {
        CAPTURE(wrong);
        CHECK_FALSE(read_login_response(boost::json::parse(wrong)));
    }
}

}  // namespace
}  // namespace muster::cli
