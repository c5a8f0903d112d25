#include "core/model/facts.h"

#include "base/prng.h"

#include <doctest/doctest.h>

namespace muster {
namespace {

facts drawn(prng& random) {
    facts result;
    for (auto left = random.below(12); left > 0; --left)
        result.insert_or_assign(
            "path" + std::to_string(random.below(8)), std::to_string(random.below(3)));
    return result;
}

TEST_CASE("applying the difference of any two sets of facts to the one gives the other") {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        auto from = drawn(random);
        const auto to = drawn(random);

        const auto step = difference(from, to);
        CHECK(step.empty() == (from == to));
        apply(step, from);

        CHECK(from == to);
        CHECK(parse_canonical_form(canonical_form(to)).value() == to);
    }
}

TEST_CASE("whatever is cut off or out of order is not a canonical form") {
    const auto whole = canonical_form({{"a", "1"}, {"b", "2"}});
    for (std::size_t size = 1; size < whole.size(); ++size) {
        CAPTURE(size);
        CHECK(parse_canonical_form(whole.substr(0, size)).has_value() == (size == 10));
    }
    CHECK_FALSE(parse_canonical_form(canonical_form({{"b", "2"}}) + canonical_form({{"a", "1"}}))
                    .has_value());
}

TEST_CASE("no two sets of facts have the same canonical form") {
    CHECK(canonical_form({}).empty());
    CHECK(canonical_form({{"a", "bc"}}) != canonical_form({{"ab", "c"}}));
    CHECK(canonical_form({{"a", "1"}}) == std::string("\0\0\0\1a\0\0\0\0011", 10));
}

}  // namespace
}  // namespace muster
