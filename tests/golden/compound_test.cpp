// The compound matcher against Salt's own: what Salt answered stands in compound_salt.tsv, as
// tests/golden/compound_reference.py wrote it. MUSTER_GOLDEN_SALT names another such file.

#include "core/targeting/query.h"
#include "core/targeting/salt_target.h"
#include "services/fleet/fact_texts.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace muster::targeting {
namespace {

constexpr auto recorded = MUSTER_SOURCES "/tests/golden/compound_salt.tsv";

class described final : public subject {
public:
    described(std::string name, std::vector<fact> facts)
        : name_(std::move(name)), facts_(std::move(facts)) {}

    std::string_view name() const override { return name_; }
    bool has(field which, const text_pattern& test) const override {
        return which == field::name && test.matches(name_);
    }
    std::span<const fact> facts() const override { return facts_; }

private:
    std::string name_;
    std::vector<fact> facts_;
};

struct salt_answer {
    std::string of_each;  // 1 or 0
    bool complained = false;
    std::string type;
    std::string expression;
};

// What Salt was asked, and what it said.
struct reference {
    std::vector<std::unique_ptr<described>> systems;
    std::map<std::string, std::string> groups;
    std::vector<salt_answer> answers;                // of random expressions
    std::map<std::string, salt_answer> about_cases;  // of compound.cases, by the expression
};

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string each; std::getline(parts, each, '\t');) fields.push_back(each);
    return fields;
}

salt_answer run_sync(std::string response, std::string type, std::string expression) {
    const bool complained = response.ends_with('!');
    if (complained) response.pop_back();
    return {
        .of_each = std::move(response),
        .complained = complained,
        .type = std::move(type),
        .expression = std::move(expression)};
}

reference read_reference() {
    const char* const other = std::getenv("MUSTER_GOLDEN_SALT");
    std::ifstream file(other == nullptr ? recorded : other);
    reference all;
    for (std::string line; std::getline(file, line);) {
        const auto fields = fields_of(line);
        const auto& kind = fields.at(0);
        if (kind == "S") {
            auto facts = fleet::parse_fact_texts(fields.at(2));
            REQUIRE(facts);
            all.systems.push_back(std::make_unique<described>(fields.at(1), *std::move(facts)));
        } else if (kind == "G") {
            all.groups[fields.at(1)] = fields.at(2);
        } else if (kind == "C") {
            all.about_cases[fields.at(2)] = run_sync(fields.at(1), "compound", fields.at(2));
        } else if (kind == "E") {
            all.answers.push_back(run_sync(fields.at(1), "compound", fields.at(2)));
        } else if (kind == "T") {
            all.answers.push_back(run_sync(fields.at(1), fields.at(2), fields.at(3)));
        }
    }
    return all;
}

result<query> parsed(const reference& all, const salt_answer& salt_answer) {
    const auto groups = [&all](const std::string& name) -> std::optional<std::string> {
        const auto it = all.groups.find(name);
        return it == all.groups.end() ? std::nullopt : std::optional(it->second);
    };
    if (salt_answer.type == "compound")
        return query::parse(
            salt_answer.expression, {.language = dialect::compound, .groups = groups});
    TRY(const auto text,
        expression_of({.type = salt_answer.type, .expression = salt_answer.expression}));
    return query::parse(text, {.groups = groups});
}

TEST_CASE("every random expression means to muster whom it means to Salt") {
    const auto all = read_reference();
    REQUIRE(all.systems.size() == 4);
    REQUIRE(all.answers.size() >= 1000);
    std::size_t refused = 0;
    for (const auto& answer : all.answers) {
        CAPTURE(answer.type);
        CAPTURE(answer.expression);
        const auto ours = parsed(all, answer);
        if (!ours) {
            // Only what Salt finds fault with, too; it then says "nobody" or reckons with less.
            ++refused;
            CHECK_MESSAGE(answer.complained, ours.error().detail());
            continue;
        }
        std::string response;
        for (const auto& system : all.systems) response += ours->matches(*system) ? '1' : '0';
        CHECK(response == answer.of_each);
        CHECK(ours->check_effort());
    }
    CHECK(refused < all.answers.size() / 5);
}

// Whether muster's answer in compound.cases is Salt's. What is refused is nobody to Salt.
bool agrees(const std::string& verb, const salt_answer& salt) {
    return (verb == "yes") == (salt.of_each == "1");
}

TEST_CASE("the cases of the compound matcher are Salt's answers but where they say otherwise") {
    const auto all = read_reference();
    std::istringstream file(
#include "core/targeting/compound.cases"
    );
    std::string differs;
    std::size_t compared = 0;
    for (std::string line; std::getline(file, line);) {
        const auto blank = line.find(' ');
        const auto verb = line.substr(0, blank);
        auto rest = blank == std::string::npos ? "" : line.substr(blank + 1);
        if (verb == "differs") differs = rest;
        if (verb != "yes" && verb != "no" && verb != "bad") continue;
        if (verb == "bad") rest.erase(0, rest.find(' ') + 1);
        CAPTURE(line);
        CAPTURE(differs);
        const auto salt = all.about_cases.find(rest);
        REQUIRE_MESSAGE(
            salt != all.about_cases.end(), "Salt was not asked: run tests/golden/ask_salt.sh");
        CHECK(agrees(verb, salt->second) == differs.empty());
        differs.clear();
        ++compared;
    }
    CHECK(compared == all.about_cases.size());
}

}  // namespace
}  // namespace muster::targeting
