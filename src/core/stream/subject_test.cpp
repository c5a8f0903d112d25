#include "core/stream/subject.h"

#include "base/prng.h"
#include "core/stream/message.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::stream {
namespace {

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char letter : text) {
        if (letter == '.') {
            words.emplace_back();
        } else {
            words.back().push_back(letter);
        }
    }
    return words;
}

// As the definition reads: word by word, with the rest for '>'.
bool matches_by_definition(const std::string& pattern, const std::string& subject) {
    const auto desired = split(pattern);
    const auto words = split(subject);
    for (std::size_t at = 0; at < desired.size(); ++at) {
        if (at >= words.size()) return false;
        if (desired[at] == ">") return true;
        if (desired[at] != "*" && desired[at] != words[at]) return false;
    }
    return desired.size() == words.size();
}

std::string random_words(prng& random, const std::vector<std::string>& choice) {
    std::string text = choice[random.below(choice.size())];
    for (auto more = random.below(4); more > 0; --more)
        text += "." + choice[random.below(choice.size())];
    return text;
}

TEST_CASE("a star is any one word, a last '>' is one or more words") {
    CHECK(matches("zone.*.slots", "zone.default.slots"));
    CHECK(matches("zone.>", "zone.default.slots"));
    CHECK(matches(">", "zone"));
    CHECK(matches("*", "zone"));
    CHECK_FALSE(matches("zone.*", "zone"));
    CHECK_FALSE(matches("zone.*", "zone.default.slots"));
    CHECK_FALSE(matches("zone.>", "zone"));
    CHECK_FALSE(matches("zone", "zones"));
}

TEST_CASE("matching agrees with the definition for every pattern and subject") {
    constexpr std::uint64_t seed = 2026;
    CAPTURE(seed);
    prng random(seed);
    for (int round = 0; round < 20'000; ++round) {
        auto pattern = random_words(random, {"a", "b", "ab", "*"});
        if (random.chance(300)) pattern += ".>";
        const auto subject = random_words(random, {"a", "b", "ab"});
        CAPTURE(pattern);
        CAPTURE(subject);
        REQUIRE(validate_pattern(pattern));
        REQUIRE(validate_subject(subject));
        REQUIRE(matches(pattern, subject) == matches_by_definition(pattern, subject));
    }
}

TEST_CASE("a malformed subject is refused with a sentence that says why") {
    for (const auto* const wrong : {"", ".", "a.", ".a", "a..b", "a b", "a.*", "a.>", "t\tx", "ä"})
        CHECK_MESSAGE(!validate_subject(wrong), wrong);
    CHECK(validate_subject("a..b").error().detail() == "subject 'a..b' has an empty word");
    CHECK_FALSE(validate_subject(std::string(limits::subject_bytes_max + 1, 'a')));
    std::string many = "a";
    for (std::size_t words = 1; words < limits::subject_words_max; ++words) many += ".a";
    CHECK(validate_subject(many));
    CHECK_FALSE(validate_subject(many + ".a"));
}

TEST_CASE("a pattern may have wildcards only as whole words, and '>' only at its end") {
    for (const auto* const right : {">", "*", "a.*", "*.a.>", "a"})
        CHECK_MESSAGE(validate_pattern(right), right);
    for (const auto* const wrong : {"", "a*", ">.a", "a.>b", "a.>.>", "a..*"})
        CHECK_MESSAGE(!validate_pattern(wrong), wrong);
}

}  // namespace
}  // namespace muster::stream
