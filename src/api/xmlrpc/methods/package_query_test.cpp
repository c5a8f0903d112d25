#include "api/xmlrpc/methods/package_query.h"

#include "base/prng.h"

#include <doctest/doctest.h>

namespace muster::xmlrpc_api {
namespace {

content::stored_package package(const std::string& name, const std::string& edition) {
    content::stored_package stored_package;
    stored_package.what = {.name = name, .at = packages::parse_edition(edition), .arch = "x86_64"};
    stored_package.summary = "Sells " + name;
    return stored_package;
}

bool finds(const char* query, const content::stored_package& stored_package) {
    const auto parsed = package_query::parse(query);
    REQUIRE_MESSAGE(parsed.has_value(), query);
    return parsed->matches(stored_package);
}

// The same, slowly.
bool fits_slowly(std::string_view text, std::string_view pattern) {
    if (pattern.empty()) return text.empty();
    if (pattern.front() == '*')
        return fits_slowly(text, pattern.substr(1))
               || (!text.empty() && fits_slowly(text.substr(1), pattern));
    return !text.empty() && (pattern.front() == '?' || pattern.front() == text.front())
           && fits_slowly(text.substr(1), pattern.substr(1));
}

TEST_CASE("packages are found by terms, joined closer by AND than by nothing") {
    const auto till = package("Till", "2:1.0-3");
    for (const char* const query :
         {"till",
          "name:till",
          "name:t*l",
          "name:none name:till",
          "name:none OR name:till",
          "name:till AND version:1.0 AND release:3 AND epoch:2 AND arch:x86_64",
          "summary:sells",
          "description:\"sells till\"",
          "NOT name:scale",
          "name:none AND version:1.0 name:till"}) {
        CAPTURE(query);
        CHECK(finds(query, till));
    }
    for (const char* const query :
         {"name:til", "name:till AND version:2", "scale", "NOT name:till", "name:?ill?"}) {
        CAPTURE(query);
        CHECK(!finds(query, till));
    }
}

TEST_CASE("a search that is none is refused with a sentence") {
    for (const std::string query : {"", "   ", "colour:red", "(name:till)", "AND"}) {
        CAPTURE(query);
        REQUIRE(!package_query::parse(query).has_value());
        CHECK(package_query::parse(query).error().code() == errc::invalid);
    }
    CHECK(!package_query::parse(std::string(2000, 'a')).has_value());
    std::string many;
    for (int left = 40; left > 0; --left) many += "a ";
    CHECK(!package_query::parse(many).has_value());
}

TEST_CASE("a pattern fits what a slow reading of it fits") {
    prng random(3);
    for (int round = 0; round < 5'000; ++round) {
        std::string text;
        std::string pattern;
        for (auto left = random.below(8); left > 0; --left) text += "ab"[random.below(2)];
        for (auto left = random.below(6); left > 0; --left) pattern += "ab*?"[random.below(4)];
        CAPTURE(text);
        CAPTURE(pattern);
        CHECK(matches_pattern(text, pattern) == fits_slowly(text, pattern));
    }
}

}  // namespace
}  // namespace muster::xmlrpc_api
