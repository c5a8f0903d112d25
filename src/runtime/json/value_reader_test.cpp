#include "runtime/json/value_reader.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::runtime {
namespace {

using api::value;

TEST_CASE("every kind of JSON is read as the value it is") {
    const auto read = parse_json(R"({"a":[1,-2,0.5,"x",true,null],"b":{"c":{}}})").value();
    const auto& list = *read.find("a")->get<value::list>();
    CHECK(
        list
        == value::list{
            value(std::int64_t{1}), value(-2), value(0.5), value("x"), value(true), value()});
    CHECK(read.find("b")->find("c")->holds<value::record>());
}

TEST_CASE("an integer beyond 64 bits with a sign is a number") {
    CHECK(parse_json("9223372036854775807").value().holds<std::int64_t>());
    CHECK(parse_json("9223372036854775808").value().holds<double>());
}

TEST_CASE("of a member that stands twice the last counts") {
    const auto read = parse_json(R"({"a":1,"a":2})").value();
    CHECK(read.get<value::record>()->size() == 1);
    CHECK(*read.find("a") == value(2));
}

TEST_CASE("what is no JSON is refused") {
    for (const auto* wrong : {"", "{", "[1,]", "{} {}", "nul"}) {
        CAPTURE(wrong);
        CHECK(parse_json(wrong).error().code() == errc::invalid);
    }
}

}  // namespace
}  // namespace muster::runtime
