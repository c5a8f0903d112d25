// The order of packages' versions against the programs that own it.

#include "core/packages/version_order.h"

#include "base/prng.h"
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <utility>
#include <vector>

namespace muster::packages {
namespace {

std::string word(prng& random, std::string_view signs, std::size_t most) {
    std::string result;
    for (auto left = 1 + random.below(most); left > 0; --left)
        result += signs[random.below(signs.size())];
    return result;
}

int sign(std::weak_ordering order) {
    return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

// What a shell script prints, in numbers.
std::vector<int> numbers_of(const std::string& script) {
    const harness::temporary_directory where("order");
    std::ofstream(where.path() / "ask.sh") << script;
    harness::process process(harness::command{
        .argv = {"/bin/sh", where.path() / "ask.sh"},
        .environment = {},
        .output = where.path() / "told",
        .user = {}});
    REQUIRE(process.wait(std::chrono::seconds(120)) == 0);
    std::ifstream ifstream(where.path() / "told");
    std::vector<int> result;
    for (int each = 0; ifstream >> each;) result.push_back(each);
    return result;
}

TEST_CASE("versions of Debian's packages have the order that dpkg gives them") {
    prng random(20261116);
    std::vector<std::pair<std::string, std::string>> pairs;
    std::string script;
    for (int left = 300; left > 0; --left) {
        const auto make = [&random] {
            std::string result = random.below(3) == 0 ? "1:" : "";
            result += word(random, "012", 1) + word(random, "01a~+.Z", 5);
            return random.below(2) == 0 ? result : result + "-" + word(random, "01a~+.", 4);
        };
        pairs.emplace_back(make(), make());
        const auto request = "dpkg --compare-versions '" + pairs.back().first + "' ";
        script += request + "lt '" + pairs.back().second + "' && echo -1 || { " + request + "gt '"
                  + pairs.back().second + "' && echo 1 || echo 0; }\n";
    }
    const auto numbers = numbers_of(script);
    REQUIRE(numbers.size() == pairs.size());
    for (std::size_t at = 0; at < pairs.size(); ++at) {
        const auto& [one, other] = pairs[at];
        CAPTURE(one);
        CAPTURE(other);
        CHECK(sign(compare(family::deb, parse_edition(one), parse_edition(other))) == numbers[at]);
    }
}

TEST_CASE("versions of RPM's packages have the order that rpm gives them") {
    prng random(20261117);
    std::vector<std::pair<std::string, std::string>> pairs;
    std::string script = "rpm --eval '%{lua:";
    for (int left = 2'000; left > 0; --left) {
        pairs.emplace_back(word(random, "012ab~^._+", 6), word(random, "012ab~^._+", 6));
        script += "io.write(rpm.vercmp(\"" + pairs.back().first + "\",\"" + pairs.back().second
                  + "\"),\" \") ";
    }
    const auto numbers = numbers_of(script + "}'\n");
    REQUIRE(numbers.size() == pairs.size());
    for (std::size_t at = 0; at < pairs.size(); ++at) {
        const edition one{.version = pairs[at].first};
        const edition other{.version = pairs[at].second};
        CAPTURE(one.version);
        CAPTURE(other.version);
        CHECK(sign(compare(family::rpm, one, other)) == numbers[at]);
    }
}

}  // namespace
}  // namespace muster::packages
