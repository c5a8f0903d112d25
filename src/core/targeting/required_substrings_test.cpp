#include "core/targeting/required_substrings.h"

#include <doctest/doctest.h>

namespace muster::targeting {
namespace {

// Pieces in one line, with ^ and $ where they stand at an end.
std::string shown(const std::vector<required_substring>& pieces) {
    std::string all;
    for (const auto& piece : pieces)
        all += (all.empty() ? "" : " ") + std::string(piece.at_start ? "^" : "") + piece.letters
               + (piece.at_end ? "$" : "");
    return all;
}

std::string of_glob(std::string_view glob) {
    return shown(required_substrings(text_pattern::glob(glob, letter_case::exact)));
}

std::string of_regex(const std::string& pattern) {
    const auto result = text_pattern::regular(pattern, letter_case::exact);
    REQUIRE_MESSAGE(result, result.error().detail());
    return shown(required_substrings(*result));
}

TEST_CASE("the letters between what stands for others are certain in a glob") {
    CHECK(of_glob("web1") == "^web1$");
    CHECK(of_glob("web*") == "^web");
    CHECK(of_glob("*.acme.org") == ".acme.org$");
    CHECK(of_glob("w?b*1*x") == "^w b 1 x$");
    CHECK(of_glob("web[0-9]x") == "^web");
    CHECK(of_glob("*").empty());
}

TEST_CASE("the letters that a regular expression cannot do without are certain") {
    CHECK(of_regex("web\\d+5\\.lab") == "^web 5.lab");
    CHECK(of_regex("^web1$") == "^web1");
    CHECK(of_regex("web(1|2)db") == "^web db");
    CHECK(of_regex("web[]|a-z[:digit:]]+x") == "^web x");
    CHECK(of_regex("ab+c") == "^ab bc");
    CHECK(of_regex("ab?c") == "^a c");
    CHECK(of_regex("ab*c") == "^a c");
    CHECK(of_regex("ab{0,2}?c") == "^a c");
    CHECK(of_regex(".*db") == "db");
    CHECK(of_regex("(?:x(y)[)]z)*web") == "web");
    CHECK(of_regex("a\\(b\\|c") == "^a(b|c");
}

TEST_CASE("nothing is certain of alternatives, nor behind what changes the meaning of the rest") {
    CHECK(of_regex("web|db").empty());
    CHECK(of_regex("web(1|2)|db").empty());
    CHECK(of_regex("web(?i)db") == "^web");
    CHECK(of_regex("(?i)web").empty());
    CHECK(of_regex("web(?i)1|db").empty());
    CHECK(of_regex("web\\Q.*\\Edb") == "^web");
    CHECK(of_regex("web\\x41b") == "^web");
    CHECK(of_regex("(?=we)web").empty());
}

}  // namespace
}  // namespace muster::targeting
