#include "base/prng.h"
#include "core/targeting/glob.h"
#include "core/targeting/query.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

namespace muster::targeting {
namespace {

constexpr std::array<std::string_view, 3> fields{"name", "tag", "zone"};

class machine final : public subject {
public:
    machine(std::string name, std::vector<std::string> tags)
        : name_(std::move(name)), tags_(std::move(tags)) {}

    bool meets(const term& condition) const override {
        if (condition.field == "name") return glob_matches(condition.pattern, name_);
        if (condition.field == "zone") return glob_matches(condition.pattern, "default");
        for (const auto& each : tags_)
            if (glob_matches(condition.pattern, each)) return true;
        return false;
    }

private:
    std::string name_;
    std::vector<std::string> tags_;
};

bool matches(std::string_view text) {
    const machine web1("web1.acme.org", {"db", "blue"});
    const auto parsed = query::parse(text, fields);
    REQUIRE_MESSAGE(parsed.has_value(), parsed.error().detail());
    return parsed->matches(web1);
}

std::string complaint(std::string_view text) {
    const auto parsed = query::parse(text, fields);
    return parsed ? "" : parsed.error().detail();
}

// What a glob means, said as simply as can be.
bool slow_glob(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    if (pattern.front() == '*')
        return slow_glob(pattern.substr(1), text)
               || (!text.empty() && slow_glob(pattern, text.substr(1)));
    return !text.empty() && (pattern.front() == '?' || pattern.front() == text.front())
           && slow_glob(pattern.substr(1), text.substr(1));
}

TEST_CASE("a glob matches the whole text, with stars, question marks and sets") {
    CHECK(glob_matches("web*.acme.org", "web12.acme.org"));
    CHECK(glob_matches("web?", "web1"));
    CHECK(glob_matches("web[0-9]", "web7"));
    CHECK(glob_matches("web[!0-9]", "webx"));
    CHECK(glob_matches("*", ""));
    CHECK_FALSE(glob_matches("web", "web1"));
    CHECK_FALSE(glob_matches("web[0-9]", "webx"));
    CHECK(glob_matches("a[b", "a[b"));
    CHECK(glob_matches("[]]", "]"));
}

TEST_CASE("every glob means the same as its plain definition") {
    prng random(20270301);
    for (int round = 0; round < 20'000; ++round) {
        std::string pattern;
        std::string text;
        for (auto left = random.below(8); left > 0; --left) pattern += "ab*?"[random.below(4)];
        for (auto left = random.below(8); left > 0; --left) text += "ab"[random.below(2)];
        INFO("pattern ", pattern, " text ", text);
        CHECK(glob_matches(pattern, text) == slow_glob(pattern, text));
    }
}

TEST_CASE("a hostile glob does not take long") {
    std::string pattern;
    for (int i = 0; i < 1000; ++i) pattern += "a*";
    CHECK_FALSE(glob_matches(pattern + "b", std::string(10'000, 'a')));
}

TEST_CASE("words, fields and operators mean what they say") {
    CHECK(matches("web*"));
    CHECK(matches("name:web1.acme.org tag:db"));
    CHECK(matches("tag:red or tag:blue"));
    CHECK(matches("web* and not tag:red"));
    CHECK_FALSE(matches("tag:red and tag:blue or zone:other"));
    CHECK(matches("tag:blue or tag:red and tag:green"));  // `and` binds closer
    CHECK_FALSE(matches("(tag:blue or tag:red) and tag:green"));
    CHECK(matches("not not tag:db"));
    CHECK(matches("tag:red OR Not tag:red"));
}

TEST_CASE("quotes make an operator a word and may hold spaces") {
    const machine odd("and or", {});
    CHECK(query::parse("'and or'", fields)->matches(odd));
    CHECK(query::parse("name:\"and or\"", fields)->matches(odd));
    CHECK_FALSE(matches("'not'"));
}

TEST_CASE("a bad query is refused with the place and what to do") {
    CHECK(complaint("tga:db") == "at 1: there is no field `tga`; fields are name, tag, zone");
    CHECK(complaint("web and") == "at 8: a condition is missing here, such as web* or tag:db");
    CHECK(complaint("a (b or c").starts_with("at 3: the parenthesis that opens here"));
    CHECK(complaint("a) b").starts_with("at 2: this parenthesis was never opened"));
    CHECK(complaint("tag:'db").starts_with("at 5: the quote that opens here"));
    CHECK(complaint("tag:").starts_with("at 1: there is nothing to look for"));
    CHECK(complaint("").starts_with("at 1: a condition is missing"));
}

TEST_CASE("size, depth and number of conditions are bounded") {
    CHECK(complaint(std::string(query_limits::bytes_max + 1, 'a')).contains("more than 4096"));
    CHECK(complaint(std::string(100, '(') + "a" + std::string(100, ')')).contains("too deeply"));
    std::string many;
    for (int i = 0; i < 300; ++i) many += "a ";
    CHECK(complaint(many).contains("too many conditions"));
    CHECK(matches("not (web* (tag:db (zone:default (not tag:red)))) or web*"));
}

}  // namespace
}  // namespace muster::targeting
