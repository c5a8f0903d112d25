#include "roles/node/connections/facts_document.h"

#include <doctest/doctest.h>

using namespace muster;
using namespace muster::node;

TEST_CASE("a document of facts gives back every text as it was written") {
    const facts all{
        {"a", "{\"x\":[1,2,{\"y\":\"},\"}]}"},
        {"b \"quoted\"", "\"\\\"\""},
        {"c", "1.0e3"},
        {"d", "null"}};
    CHECK(parse_document(to_document(all)).value() == all);
    CHECK(parse_document(to_document({})).value().empty());
    for (const std::string broken : {"", "{", "[]", "{\"a\"}", "{\"a\":1", "{\"a\":1}x", "{a:1}"})
        CHECK(parse_document(broken).error().code() == errc::corrupt);
    CHECK(check({{"a", "1 2"}}).error().code() == errc::invalid);
    CHECK(check({{"", "1"}}).error().code() == errc::invalid);
}
