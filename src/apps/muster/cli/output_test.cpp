#include "apps/muster/cli/output.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::cli {
namespace {

const boost::json::value nodes = boost::json::parse(
    R"([{"name":"a","roles":["driver","node"]},{"name":"muster-2","roles":[]}])");

TEST_CASE("a table has a heading, one aligned row each and a dash for what is missing") {
    CHECK(
        render(nodes, output_format::table, {"name", "roles", "load"})
        == "NAME      ROLES        LOAD\n"
           "a         driver,node  -\n"
           "muster-2               -\n");
    CHECK(
        render(boost::json::parse(R"({"id":"c1","version":"0.1"})"), output_format::table, {})
        == "id       c1\nversion  0.1\n");
}

TEST_CASE("YAML has everything, quoted so that nothing changes its type") {
    CHECK(
        render(nodes, output_format::yaml, {})
        == "-\n  \"name\": \"a\"\n  \"roles\":\n    - \"driver\"\n    - \"node\"\n"
           "-\n  \"name\": \"muster-2\"\n  \"roles\": []\n");
    CHECK(render(boost::json::array(), output_format::yaml, {}) == "[]\n");
}

TEST_CASE("a name from a server cannot move the cursor of the reader's terminal") {
    const boost::json::value hostile = boost::json::array{{{"name", "\x1b[2J"}}};

    CHECK(render(hostile, output_format::table, {"name"}) == "NAME\n?[2J\n");
}

TEST_CASE("an object in a table is text, not JSON") {
    const auto preview = boost::json::parse(R"({"targets":3,"forecast":{"expected_seconds":40,
        "windows":[{"schedule":"nights","finished":2},
                   {"schedule":"noon","finished":1}],"rest":[]}})");
    CHECK(
        render(preview, output_format::table, {})
        == "targets  3\n"
           "forecast\n"
           "  expected_seconds  40\n"
           "  windows\n"
           "    SCHEDULE  FINISHED\n"
           "    nights    2\n"
           "    noon      1\n"
           "  rest              -\n");
    CHECK(
        render(
            boost::json::parse(R"([{"name":"a","limits":{"cpu":2,"memory":null}}])"),
            output_format::table,
            {"name", "limits"})
        == "NAME  LIMITS\na     cpu=2 memory=-\n");
}

TEST_CASE("a number with a fraction is shown as people write it") {
    const auto output = render(
        boost::json::object{{"rate", 0.0}, {"eta", 12.5}}, output_format::table, {"rate", "eta"});
    CHECK(output.contains(" 0\n"));
    CHECK(output.contains("12.5"));
}

}  // namespace
}  // namespace muster::cli
