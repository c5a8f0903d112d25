#include "runtime/log.h"

#include <doctest/doctest.h>

namespace muster::runtime {
namespace {

TEST_CASE("fields are appended to the sentence for people and as members for machines") {
    CHECK(
        render_text("system came", {{"system", "web1"}, {"attempt", 3}, {"late", true}})
        == "system came system=web1 attempt=3 late=true");
    CHECK(
        render_json("system came", {{"system", "web1"}, {"attempt", 3}, {"late", true}})
        == R"("message":"system came","system":"web1","attempt":3,"late":true)");
}

TEST_CASE("what comes from outside cannot forge a line or a field") {
    const std::string hostile = "a\nb level=error \"x\"\\";

    const auto text = render_text("got " + hostile, {{"name", hostile}});
    const auto json = render_json("got " + hostile, {{"name", hostile}});

    CHECK_FALSE(text.contains('\n'));
    CHECK_FALSE(json.contains('\n'));
    CHECK(text.ends_with(R"(name="a\u000ab level=error \"x\"\\")"));
    CHECK(json.ends_with(R"("name":"a\u000ab level=error \"x\"\\")"));
}

TEST_CASE("levels are known by name") {
    CHECK(parse_log_level("warning").value() == log_level::warning);
    CHECK(parse_log_level("loud").error().code() == errc::invalid);
}

}  // namespace
}  // namespace muster::runtime
