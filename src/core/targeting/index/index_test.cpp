#include "core/targeting/index/index.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace muster::targeting {
namespace {

using fleet::change;

system_record accepted(std::int64_t number) {
    system_record system{
        .print = fingerprint(fingerprint::bytes_type{static_cast<unsigned char>(number)})};
    system.number = system_number(number);
    system.stage = enrolment::accepted;
    return system;
}

struct known_system {
    system_record record = accepted(1);
    std::vector<fact> facts;
};
using known_fleet = std::map<system_number, known_system>;

// The dumb reference: one system at a time.
class plain_subject final : public subject {
public:
    explicit plain_subject(const known_system& of) : of_(of) {}
    std::string_view name() const override { return of_.record.name; }
    std::span<const fact> facts() const override { return of_.facts; }
    bool has(field which, const text_pattern& test) const override {
        const auto any = [&test](const std::vector<std::string>& words) {
            for (const auto& word : words)
                if (test.matches(word)) return true;
            return false;
        };
        if (which == field::name) return test.matches(of_.record.name);
        if (which == field::zone) return test.matches(of_.record.zone);
        if (which == field::tag) return any(of_.record.tags);
        if (which == field::group) return any(of_.record.groups);
        if (which == field::number) return test.matches(std::to_string(of_.record.number.value()));
        // Every other one is attached.
        return which == field::state
               && test.matches(of_.record.number.value() % 2 == 0 ? "orphan" : "onboarded");
    }

private:
    const known_system& of_;
};

class asked_of_each final : public other_fields {
public:
    explicit asked_of_each(const known_fleet& of) : of_(of) {}
    system_set among(
        const field_condition& field_condition, const system_set& within) const override {
        system_set match;
        within.for_each([&](system_number system_number) {
            if (plain_subject(of_.at(system_number))
                    .has(field_condition.field, field_condition.test))
                match.add(system_number);
        });
        return match;
    }

private:
    const known_fleet& of_;
};

std::string pick(prng& random, std::initializer_list<const char*> from) {
    return from.begin()[random.below(from.size())];
}

known_system random_system(prng& random, std::int64_t number) {
    known_system result;
    auto& record = result.record;
    record = accepted(number);
    record.name = pick(random, {"web", "db", "w", "mongodb", "\x02web", ""})
                  + std::to_string(random.below(30)) + pick(random, {".acme.org", ".lab", "", "b"});
    record.zone = pick(random, {"munich", "berlin"});
    for (auto left = random.below(3); left > 0; --left)
        record.tags.push_back(pick(random, {"db", "blue", "role=shop"}));
    if (random.chance(300)) record.groups.push_back("shop");
    std::vector<fact> facts;
    if (random.chance(700)) facts.push_back({"os.id", pick(random, {"debian", "sles", "rhel"})});
    if (random.chance(500)) facts.push_back({"os.version", pick(random, {"12", "15.5", "9"})});
    for (auto left = random.below(3); left > 0; --left)
        facts.push_back({"roles", pick(random, {"web", "db", "cache"})});
    facts.push_back({"serial", std::to_string(random.below(1000))});
    if (random.chance(500))
        facts.push_back({"addresses", "10.0.0." + std::to_string(random.below(256))});
    if (random.chance(200)) facts.push_back({"ec2.tags.role", "web"});
    result.facts = searchable(std::move(facts));
    return result;
}

std::string random_term(prng& random) {
    return pick(
        random,
        {"web*",
         "*b",
         "*db*",
         "w*",
         "?eb1*",
         "[wd]*",
         "*.acme.org",
         "web1",
         "*",
         "*1.lab",
         "*o*",
         "tag:db",
         "tag:*",
         "tag:b*",
         "tag:none",
         "zone:munich",
         "group:shop",
         "number:7",
         "number:1*",
         "number:007",
         "state:orphan",
         "os.id:debian",
         "os:deb*",
         "G@os:sles",
         "P@os:(sles|rhel)",
         "roles:w*",
         "fact.roles:*",
         "fact.serial:1*",
         "fact.serial:17",
         "G@ec2:tags",
         "G@ec2:tags:role:w*",
         "G@*:role:web",
         "E@web\\d$",
         "E@.*b",
         "E@^we?b",
         "E@db+1",
         "E@web1?2$",
         "L@web1,db2.lab,w3",
         "S@10.0.0.0/25",
         "S@10.0.0.7",
         "role=shop",
         "fact.roles:db",
         "osmajorrelease:15",
         "I@a:b",
         "ab*",
         "web*.acme.org",
         "web*.org",
         "*.lab",
         "web*",
         "db1*.lab",
         "w*.*",
         "name:*b*1*"});
}

std::string random_expression(prng& random, int depth) {
    if (depth == 0 || random.chance(300)) return random_term(random);
    const auto left = random_expression(random, depth - 1);
    const auto right = random_expression(random, depth - 1);
    switch (random.below(4)) {
        case 0:
            return left + " and " + right;
        case 1:
            return left + " or " + right;
        case 2:
            return "not ( " + left + " )";
        default:
            return "( " + left + " or " + right + " ) and not " + random_term(random);
    }
}

// Changes the fleet at random, and the index with it.
void shake(prng& random, known_fleet& known_fleet, index& index, std::int64_t numbers) {
    const auto number =
        static_cast<std::int64_t>(1 + random.below(static_cast<std::uint64_t>(numbers)));
    const auto it = known_fleet.find(system_number(number));
    change change{.before = std::nullopt, .after = accepted(number)};
    if (it != known_fleet.end()) change.before = it->second.record;
    if (it != known_fleet.end() && random.chance(250)) {
        change.after = it->second.record;
        change.after.stage = random.chance(500) ? enrolment::deleted : enrolment::evicted;
        known_fleet.erase(it);
        index.apply({&change, 1});
        return;
    }
    auto now = random_system(random, number);
    change.after = now.record;
    index.apply({&change, 1});
    if (it != known_fleet.end() && random.chance(300)) now.facts = it->second.facts;
    index.set_facts(system_number(number), now.facts);
    known_fleet.insert_or_assign(system_number(number), std::move(now));
}

TEST_CASE("the index answers what asking each system answers") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        prng random(seed);
        known_fleet known_fleet;
        index index;
        for (int step = 0; step < 400; ++step) shake(random, known_fleet, index, 150);
        CHECK(index.systems().size() == known_fleet.size());
        for (int requested = 0; requested < 60; ++requested) {
            const auto text = random_expression(random, 3);
            CAPTURE(seed);
            CAPTURE(text);
            const auto parsed = query::parse(text, {.language = dialect::compound});
            REQUIRE_MESSAGE(parsed, parsed.error().detail());
            system_set expected;
            for (const auto& [number, each] : known_fleet)
                if (parsed->matches(plain_subject(each))) expected.add(number);
            CHECK(index.evaluate(*parsed, asked_of_each(known_fleet)) == expected);
        }
        for (const auto& [number, each] : known_fleet)
            REQUIRE(index.facts_of(number) == each.facts);
    }
}

// Some of a text's letters, and what may stand for the others, as a glob.
std::string glob_like(prng& random, const std::string& text) {
    std::string result;
    for (const char letter : text) {
        const auto kind = random.below(20);
        if (kind == 0)
            result += "*";
        else if (kind == 1)
            result += "?";
        else if (kind == 2)
            result += pick(random, {"[a-z]", "[!x]", "[0-9]"});
        else
            result += letter;
    }
    if (random.chance(400)) result = result.substr(0, random.below(result.size() + 1)) + "*";
    return random.chance(200) ? "*" + result.substr(random.below(result.size() + 1)) : result;
}

// The same as a regular expression.
std::string regex_like(prng& random, const std::string& text) {
    std::string result = pick(random, {"", "", "^", ".*", "(?i)", "(?:db|web)?"});
    for (const char letter : text) {
        const std::string itself =
            letter == '.' || letter == '-' ? "\\" + std::string(1, letter) : std::string(1, letter);
        switch (random.below(14)) {
            case 0:
                result += pick(random, {".", "\\w+", "\\d*", "[a-z0-9]+", ".*", "(x|.)", "\\S"});
                break;
            case 1:
                result += itself + pick(random, {"?", "+", "*", "{1}", "{0,2}", "+?", "*?"});
                break;
            case 2:
                result += "(" + itself + "|" + pick(random, {"q", "", "7", ".+"}) + ")";
                break;
            default:
                result += itself;
        }
        if (random.chance(30)) return result;
    }
    return result + pick(random, {"", "$", "|web12", ".?"});
}

std::string own_value(prng& random, std::int64_t number) {
    return pick(random, {"web", "db", "mail-", "w"}) + std::to_string(number + 1000)
           + pick(random, {".acme.org", ".lab", "", ".lab.acme.org"});
}

TEST_CASE("a pattern for what every system has its own of finds whom asking each finds") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        prng random(seed);
        known_fleet known_fleet;
        index index;
        for (int step = 0; step < 900; ++step) {
            shake(random, known_fleet, index, 500);
            if (known_fleet.empty()) continue;
            const auto [who, some] = *std::next(
                known_fleet.begin(), static_cast<std::ptrdiff_t>(random.below(known_fleet.size())));
            auto now = some;
            now.facts.push_back({"fqdn", own_value(random, who.value())});
            now.facts = searchable(std::move(now.facts));
            index.set_facts(who, now.facts);
            known_fleet.insert_or_assign(who, std::move(now));
        }
        for (int requested = 0; requested < 300; ++requested) {
            const auto value = own_value(random, static_cast<std::int64_t>(random.below(600)));
            const auto name = known_fleet.begin()->second.record.name;
            auto text = random.chance(500)   ? "G@fqdn:" + glob_like(random, value)
                        : random.chance(700) ? "P@fqdn:" + regex_like(random, value)
                                             : "E@" + regex_like(random, name);
            if (random.chance(300)) text += " and " + random_term(random);
            CAPTURE(seed);
            CAPTURE(text);
            const auto parsed = query::parse(text, {.language = dialect::compound});
            REQUIRE_MESSAGE(parsed, parsed.error().detail());
            system_set expected;
            for (const auto& [number, each] : known_fleet)
                if (parsed->matches(plain_subject(each))) expected.add(number);
            if (!parsed->check_effort()) continue;  // then there is no right answer
            CHECK(index.evaluate(*parsed, asked_of_each(known_fleet)) == expected);
        }
    }
}

TEST_CASE("values that nobody has any more are let go of") {
    index index;
    const change change{.before = std::nullopt, .after = accepted(1)};
    index.apply({&change, 1});
    for (int round = 0; round < 3000; ++round) {
        const std::vector<fact> facts{{"boot.id", std::to_string(round)}, {"os.id", "debian"}};
        index.set_facts(system_number(1), facts);
    }
    CHECK(index.facts().values() == 2);
    CHECK(index.facts().paths() == 2);
}

TEST_CASE("facts of somebody who is not in the fleet are forgotten, and of one who left too") {
    index index;
    const std::vector<fact> facts{{"os.id", "debian"}};
    index.set_facts(system_number(5), facts);
    CHECK(index.facts().values() == 0);
    const change came{.before = std::nullopt, .after = accepted(5)};
    index.apply({&came, 1});
    index.set_facts(system_number(5), facts);
    CHECK(index.facts().values() == 1);
    change left{.before = came.after, .after = came.after};
    left.after.stage = enrolment::deleted;
    index.apply({&left, 1});
    CHECK(index.facts().values() == 0);
}

TEST_CASE("a key that took over the number of another keeps it, whichever change comes first") {
    auto old_key = accepted(5);
    old_key.tags = {"old", "both"};
    auto new_key = accepted(6);
    new_key.number = system_number(5);
    new_key.tags = {"new", "both"};
    const change came{.before = std::nullopt, .after = old_key};
    const change took{.before = std::nullopt, .after = new_key};
    change left{.before = old_key, .after = old_key};
    left.after.stage = enrolment::deleted;
    for (const bool leaves_first : {true, false}) {
        index index;
        const std::vector<change> changes =
            leaves_first ? std::vector{came, left, took} : std::vector{came, took, left};
        index.apply(changes);
        const known_fleet none;
        const auto match = [&](const char* text) {
            return index.evaluate(query::parse(text).value(), asked_of_each(none));
        };
        CHECK(match("tag:both tag:new") == system_set{system_number(5)});
        CHECK(match("tag:old").empty());
    }
}

TEST_CASE("what a system says is bounded") {
    std::vector<fact> facts;
    for (std::size_t at = 0; at < 2 * fact_limits::facts_max; ++at)
        facts.push_back({"path" + std::to_string(at), "x"});
    facts.push_back({"long", std::string(fact_limits::text_bytes_max + 1, 'x')});
    const auto stored = searchable(std::move(facts));
    CHECK(stored.size() == fact_limits::facts_max);
    CHECK(std::ranges::none_of(stored, [](const fact& fact) { return fact.path == "long"; }));
}

TEST_CASE("names of a list that nobody has are told") {
    index index;
    change came{.before = std::nullopt, .after = accepted(5)};
    came.after.name = "web1";
    index.apply({&came, 1});
    const std::vector<std::string> requests{"web1", "web10"};
    CHECK(index.missing(requests) == std::vector<std::string>{"web10"});
}

}  // namespace
}  // namespace muster::targeting
