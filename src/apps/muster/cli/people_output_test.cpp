#include "apps/muster/cli/people_output.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::cli {
namespace {

namespace json = boost::json;

TEST_CASE("a grant is a role everywhere or in a zone, and reads back as it was written") {
    const auto grants = read_grants({"viewer", "operator@eu"});

    REQUIRE(grants);
    CHECK(*grants == json::parse(R"([{"role":"viewer"},{"role":"operator","zone":"eu"}])"));
    CHECK(
        with_grant_texts(json::object{{"name", "ann"}, {"grants", *grants}})
        == json::parse(R"({"name":"ann","grants":["viewer","operator@eu"]})"));
    for (const auto* wrong : {"", "@eu", "operator@", "@"}) {
        CAPTURE(wrong);
        CHECK(read_grants({"viewer", wrong}).error().code() == errc::invalid);
    }
}

TEST_CASE("lists of people have short grants in every row, and what has none stays as it is") {
    const auto output = with_grant_texts(json::parse(
        R"([{"name":"ann","grants":[{"role":"admin","zone":""}]},{"name":"bob"},"odd"])"));

    CHECK(output == json::parse(R"([{"name":"ann","grants":["admin"]},{"name":"bob"},"odd"])"));
}

TEST_CASE("whoami tells who, and of each right where it holds, and keeps what browsers need") {
    const auto output = whoami_table(json::parse(
        R"({"user":"ann","must_change":false,"by":"session","csrf":"d00d",
            "rights":{"fleet.read":null,"jobs.run":["eu","us"]}})"));

    CHECK(
        output
        == "user         ann\n"
           "by           session\n"
           "must_change  false\n"
           "\n"
           "RIGHT       WHERE\n"
           "fleet.read  everywhere\n"
           "jobs.run    eu,us\n");
    CHECK(
        whoami_table(json::parse(R"({"user":"ann","by":"token","must_change":true,"rights":{}})"))
        == "user         ann\nby           token\nmust_change  true\n");
}

}  // namespace
}  // namespace muster::cli
