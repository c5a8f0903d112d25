#include "core/targeting/salt_target.h"

#include "core/targeting/query.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::targeting {
namespace {

std::string ours(std::string_view type, std::string_view expression) {
    return expression_of({.type = type, .expression = expression}).value();
}

std::string refused(std::string_view type, std::string_view expression) {
    return expression_of({.type = type, .expression = expression}).error().detail();
}

TEST_CASE("every type of target that can be answered is an expression of our language") {
    CHECK(ours("glob", "web*") == R"(name:"web*")");
    CHECK(ours("pcre", R"(web\d+)") == R"(E@web\d+)");
    CHECK(ours("list", "web1, web2") == "L@web1,web2");
    CHECK(ours("grain", "os:Debian") == "G@os:Debian");
    CHECK(ours("grain", "os:Red Hat*") == R"(fact.os:"Red Hat*")");
    CHECK(ours("grain_pcre", "os:(Red Hat|SLES)") == R"(P@os:(Red\x20Hat|SLES))");
    CHECK(ours("ipcidr", "10.0.0.0/8") == "S@10.0.0.0/8");
    CHECK(ours("nodegroup", "shop") == "N@shop");
    CHECK(ours("compound", "G@os:Debian and web*") == "G@os:Debian and web*");
    for (const auto& each :
         {ours("glob", R"(a"b\c d)"),
          ours("pcre", "a b"),
          ours("grain", "os:Red Hat"),
          ours("grain_pcre", "os:(a|b c)"),
          ours("list", "a,b")})
        CHECK_MESSAGE(query::parse(each, {}).has_value(), each);
}

TEST_CASE("a type that cannot be answered is refused with a sentence") {
    for (const auto* const each :
         {"pillar", "pillar_pcre", "pillar_exact", "compound_pillar_exact"})
        CHECK(refused(each, "role:db").contains("pillar"));
    CHECK(refused("range", "%shop").contains("not supported"));
    CHECK(refused("regex", "x").contains("\"regex\""));
    CHECK(refused("glob", "").contains("empty"));
    CHECK(refused("ipcidr", "10.0.0.0/8 or x").contains("spaces"));
}

TEST_CASE("terms about pillar are found wherever they stand, and names that look alike are not") {
    for (const auto* const each : {"I@role:db", "not I@role:db", "web* and ( J@a:b )", "(I@a:b)"})
        CHECK(refuse_pillar(each).error().detail().contains("pillar"));
    CHECK(refuse_pillar("web* and I@a:b").error().detail().starts_with("at 10:"));
    for (const auto* const each : {"", "G@os:Debian", "webI@x", "name:I", "tag:J"})
        CHECK(refuse_pillar(each).has_value());
}

}  // namespace
}  // namespace muster::targeting
