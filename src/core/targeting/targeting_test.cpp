#include "base/prng.h"
#include "core/targeting/fold.h"
#include "core/targeting/glob.h"
#include "core/targeting/parser.h"
#include "core/targeting/query.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace muster::targeting {
namespace {

class machine final : public subject {
public:
    explicit machine(std::string name, std::vector<std::string> tags = {})
        : name_(std::move(name)), tags_(std::move(tags)) {}

    std::string_view name() const override { return name_; }
    bool has(field which, const text_pattern& test) const override {
        if (which == field::name) return test.matches(name_);
        if (which == field::zone) return test.matches("default");
        return which == field::tag && std::ranges::any_of(tags_, [&test](const auto& each) {
                   return test.matches(each);
               });
    }
    std::span<const fact> facts() const override { return facts_; }

    void tell(std::string_view path, std::string_view text) {
        facts_.push_back({.path = folded(path), .text = folded(text)});
        std::ranges::sort(facts_);
    }

private:
    std::string name_;
    std::vector<std::string> tags_;
    std::vector<fact> facts_;
};

bool matches(std::string_view text) {
    machine web1("web1.acme.org", {"db", "blue", "role=shop"});
    web1.tell("os.name", "Debian GNU/Linux");
    web1.tell("os.id", "debian");
    web1.tell("role", "kubernetes-worker");
    const auto parsed = query::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), parsed.error().detail());
    return parsed->matches(web1);
}

std::string complaint(std::string_view text) {
    const auto parsed = query::parse(text);
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
    CHECK(glob_matches("[^a]", "^"));
}

TEST_CASE("every glob means the same as its plain definition") {
    prng random(20270301);
    for (int round = 0; round < 20'000; ++round) {
        std::string pattern;
        std::string text;
        for (auto left = random.below(8); left > 0; --left) pattern += "ab*?"[random.below(4)];
        for (auto left = random.below(8); left > 0; --left) text += "ab"[random.below(2)];
        INFO("pattern ", pattern, " text ", text);
        const bool expected = slow_glob(pattern, text);
        CHECK(glob_matches(pattern, text) == expected);
        CHECK(text_pattern::glob(pattern, letter_case::exact).matches(text) == expected);
    }
}

TEST_CASE("a hostile glob does not take long") {
    std::string pattern;
    for (int i = 0; i < 1000; ++i) pattern += "a*";
    CHECK_FALSE(glob_matches(pattern + "b", std::string(10'000, 'a')));
}

TEST_CASE("a hostile regular expression gives up, and that is told") {
    const auto parsed = query::parse("E@(a+)+$ or E@web").value();
    CHECK(parsed.check_effort());
    CHECK_FALSE(parsed.matches(machine(std::string(40, 'a') + "!")));
    const auto response = parsed.check_effort();
    REQUIRE_FALSE(response);
    CHECK(response.error().detail().starts_with("at 1: regular expression takes too long"));
    CHECK(parsed.matches(machine("web1")));
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

TEST_CASE("facts are asked by their path, by the name of Salt's grain, or as a selector") {
    CHECK(matches("os.name:debian*"));
    CHECK(matches("fact.os.name:*linux"));
    CHECK(matches("fact.role:kube*"));
    CHECK_FALSE(matches("os.version:*"));
    CHECK(matches("os:Debian and not tag:canary"));
    CHECK(matches("role=kubernetes-*"));
    CHECK(matches("role=shop"));  // a tag
    CHECK_FALSE(matches("role=db"));
    CHECK(matches("(G@os:Debian) tag:db"));
}

TEST_CASE("a key below the path is as good as a value, but not where Salt has one value only") {
    machine web1("web1");
    web1.tell("interfaces.eth0.mac", "02:00");
    web1.tell("os.id", "sles");
    web1.tell("os.description", "SUSE");
    const auto met = [&web1](std::string_view text) {
        return query::parse(text).value().matches(web1);
    };
    CHECK(met("G@interfaces:eth*"));
    CHECK(met("P@interfaces:^ETH\\d$"));
    CHECK(met("fact.interfaces:eth?"));
    CHECK_FALSE(met("G@interfaces:wlan*"));
    CHECK_FALSE(met("G@interfaces:m*"));
    CHECK_FALSE(met("os:d*"));  // means Debian, not that there is a description
    CHECK_FALSE(met("P@os:(debian|d)"));
    CHECK(met("G@os:description"));
}

TEST_CASE("no address of IPv4 lies in a network of IPv6, however wide") {
    machine web1("web1");
    web1.tell("addresses", "10.1.2.3");
    CHECK(query::parse("S@10.0.0.0/8").value().matches(web1));
    CHECK(query::parse("S@0.0.0.0/0").value().matches(web1));
    CHECK_FALSE(query::parse("S@::/0").value().matches(web1));
    web1.tell("addresses", "2001:db8::7");
    CHECK(query::parse("S@::/0").value().matches(web1));
}

TEST_CASE("quotes make an operator a word and may hold spaces") {
    const machine odd("and or");
    CHECK(query::parse("'and or'")->matches(odd));
    CHECK(query::parse("name:\"and or\"")->matches(odd));
    CHECK_FALSE(matches("'not'"));
    CHECK(matches("os.name:'debian gnu/linux'"));
}

TEST_CASE("a bad query is refused with the place and what to do") {
    CHECK(complaint("tga:db").starts_with("at 1: unknown field \"tga\"; use name, tag,"));
    CHECK(complaint("web and") == "at 8: a condition is missing here, such as web* or tag:db");
    CHECK(complaint("a (b or c").starts_with("at 3: missing closing parenthesis"));
    CHECK(complaint("a) b").starts_with("at 2: closing parenthesis without"));
    CHECK(complaint("tag:'db").starts_with("at 5: missing closing quote"));
    CHECK(complaint("tag:").starts_with("at 1: empty condition"));
    CHECK(complaint("").starts_with("at 1: a condition is missing"));
    CHECK(position_of(query::parse("web and").error().with_context("the query")) == 8);
}

TEST_CASE("size, depth and number of conditions are bounded") {
    CHECK(complaint(std::string(query_limits::bytes_max + 1, 'a')).contains("longer than 4096"));
    CHECK(complaint(std::string(100, '(') + "a" + std::string(100, ')')).contains("too deeply"));
    std::string many;
    for (int i = 0; i < 300; ++i) many += "a ";
    CHECK(complaint(many).contains("too many conditions"));
    CHECK(matches("not (web* (tag:db (zone:default (not tag:red)))) or web*"));
    std::string list = "L@a";
    for (int i = 0; i < 1200; ++i) list += ",b";
    CHECK(complaint(list).contains("names per list"));
}

TEST_CASE("groups that multiply each other are refused, not expanded for ever") {
    const auto doubled = [](const std::string& name) -> std::optional<std::string> {
        const auto next = std::to_string(std::stoi(name) + 1);
        return "N@" + next + " or N@" + next + " or N@" + next;
    };
    const auto parsed = query::parse("N@1", {.groups = doubled});
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().detail().contains("too many conditions"));
}

TEST_CASE("the names of a list that must be there are known, those behind `not` aside") {
    const auto parsed = query::parse("L@b,a or not ( L@c or not L@d )").value();
    CHECK(parsed.listed_names() == std::vector<std::string>{"a", "b", "d"});
}

// The golden cases: one answer a line.
struct golden {
    machine asked{"web1"};
    std::map<std::string, std::string> groups;
    int answered = 0;

    void check(const std::string& verb, std::string expression) {
        const auto existing = [this](const std::string& name) -> std::optional<std::string> {
            const auto it = groups.find(name);
            return it == groups.end() ? std::nullopt : std::optional(it->second);
        };
        std::size_t position = 0;
        if (verb == "bad") {
            const auto blank = expression.find(' ');
            position = std::stoul(expression.substr(0, blank));
            expression.erase(0, blank + 1);
        }
        CAPTURE(expression);
        const auto parsed =
            query::parse(expression, {.language = dialect::compound, .groups = existing});
        ++answered;
        if (verb == "bad") {
            REQUIRE_FALSE(parsed);
            CHECK_MESSAGE(position_of(parsed.error()) == position, parsed.error().detail());
            return;
        }
        REQUIRE_MESSAGE(parsed, parsed.error().detail());
        CHECK(parsed->matches(asked) == (verb == "yes"));
    }
};

TEST_CASE("the compound matcher answers as Salt does") {
    std::istringstream file(
#include "core/targeting/compound.cases"
    );
    golden cases;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string verb;
        std::string rest;
        words >> verb >> std::ws;
        std::getline(words, rest);
        if (verb.empty() || verb == "#" || verb == "system" || verb == "differs") continue;
        const auto blank = rest.find(' ');
        if (verb == "fact")
            cases.asked.tell(rest.substr(0, blank), rest.substr(blank + 1));
        else if (verb == "group")
            cases.groups[rest.substr(0, blank)] = rest.substr(blank + 1);
        else
            cases.check(verb, rest);
    }
    CHECK(cases.answered > 100);
}

}  // namespace
}  // namespace muster::targeting
