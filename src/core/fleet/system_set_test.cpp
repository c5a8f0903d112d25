#include "core/fleet/system_set.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <set>

using muster::errc;
using muster::prng;
using muster::system_number;
using muster::fleet::system_set;

namespace {

// Members that make lists, bitsets and runs in several containers, at both ends too.
std::set<std::uint32_t> random_members(prng& random) {
    std::set<std::uint32_t> members;
    for (std::uint64_t part = random.below(5); part > 0; --part) {
        const auto key = static_cast<std::uint32_t>(random.below(3) * 32767) << 16U;
        switch (random.below(3)) {
            case 0:  // a few
                for (int i = 0; i < 40; ++i)
                    members.insert(key | static_cast<std::uint32_t>(random.below(65536)));
                break;
            case 1:  // many
                for (int i = 0; i < 9000; ++i)
                    members.insert(key | static_cast<std::uint32_t>(random.below(65536)));
                break;
            default: {  // a run
                const auto first = static_cast<std::uint32_t>(random.below(60000));
                for (std::uint32_t i = 0; i < 5000; ++i) members.insert(key | (first + i));
            }
        }
    }
    return members;
}

system_set set_of(const std::set<std::uint32_t>& members) {
    system_set result;
    for (const std::uint32_t member : members) result.add(system_number(member));
    return result;
}

std::set<std::uint32_t> members_of(const system_set& set) {
    std::set<std::uint32_t> members;
    std::int64_t before = -1;
    bool ordered = true;
    set.for_each([&](system_number member) {
        ordered = ordered && member.value() > before;
        before = member.value();
        members.insert(static_cast<std::uint32_t>(member.value()));
    });
    REQUIRE(ordered);
    return members;
}

}  // namespace

TEST_CASE("a set of systems does what a plain set does") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        const auto one = random_members(random);
        const auto other = random_members(random);
        const system_set a = set_of(one);
        const system_set b = set_of(other);
        CHECK(members_of(a) == one);
        CHECK(a.size() == one.size());
        CHECK(a.empty() == one.empty());

        std::set<std::uint32_t> all = one;
        all.insert(other.begin(), other.end());
        std::set<std::uint32_t> both;
        std::set<std::uint32_t> rest;
        for (const std::uint32_t member : one)
            (other.contains(member) ? both : rest).insert(member);
        CHECK(members_of(a | b) == all);
        CHECK(members_of(a & b) == both);
        CHECK(members_of(a - b) == rest);
        CHECK(a.common_with(b) == both.size());
        CHECK(a.intersects(b) == !both.empty());
        CHECK((a & b).subset_of(a));
        CHECK(((a - b) | (a & b)) == a);
        const std::array<const system_set*, 2> parts{&a, &b};
        CHECK(system_set::union_of(parts) == (a | b));

        const auto from = static_cast<std::uint32_t>(random.below(UINT32_MAX));
        std::vector<system_number> tail;
        for (auto at = one.lower_bound(from); at != one.end() && tail.size() < 700; ++at)
            tail.emplace_back(std::int64_t{*at});
        CHECK(a.page(system_number(from), 700) == tail);
    }
}

TEST_CASE("a set survives its own bytes, and is a value") {
    for (std::uint64_t seed = 100; seed <= 140; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        const system_set before = set_of(random_members(random));
        const auto after = system_set::parse(before.serialise());
        REQUIRE(after);
        CHECK(*after == before);

        system_set copy = before;
        copy.add(system_number(77));
        copy -= copy;
        CHECK(copy.empty());
        CHECK(before == *after);
        system_set moved = std::move(copy);
        CHECK(moved.empty());
    }
}

TEST_CASE("the first and the last number may be members") {
    system_set ends{system_number(0), system_number(UINT32_MAX)};
    CHECK(
        ends.page(system_number(0), 10)
        == std::vector{system_number(0), system_number(UINT32_MAX)});
    CHECK(ends.page(system_number(UINT32_MAX), 10).size() == 1);
    CHECK(members_of(ends) == std::set<std::uint32_t>{0, UINT32_MAX});
    CHECK_FALSE(ends.add(system_number(0)));
    CHECK(ends.remove(system_number(UINT32_MAX)));
    CHECK_FALSE(ends.remove(system_number(UINT32_MAX)));
    CHECK(system_set::range(system_number(3), system_number(UINT32_MAX)).size() == 4294967293U);
    CHECK(system_set::range(system_number(3), system_number(2)).empty());
    CHECK(ends.largest() == system_number(0));
    CHECK(system_set().smallest() == std::nullopt);
}

TEST_CASE("a span of a million systems is written in a few bytes") {
    const system_set million = system_set::range(system_number(1), system_number(1'000'000));
    CHECK(million.serialise().size() < 300);
    CHECK(million.rank(system_number(500)) == 500);
}

TEST_CASE("bytes that were cut, lengthened or changed never make a set that is not well-formed") {
    std::size_t refused = 0;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        std::string bytes = set_of(random_members(random)).serialise();
        switch (random.below(3)) {
            case 0:
                bytes.resize(random.below(bytes.size()));
                break;
            case 1:
                bytes += static_cast<char>(random.below(256));
                break;
            default:
                // Mostly in the heads, where a lie does the most harm.
                bytes[random.below(std::min<std::size_t>(bytes.size(), 40))] =
                    static_cast<char>(random.below(256));
        }
        const auto parsed = system_set::parse(bytes);
        if (!parsed) {
            CHECK(parsed.error().code() == errc::invalid);
            ++refused;
            continue;
        }
        // What was taken is a set in every respect: its members in order, its size their number.
        CHECK(members_of(*parsed).size() == parsed->size());
        CHECK(*system_set::parse(parsed->serialise()) == *parsed);
    }
    CHECK(refused > 400);
}

TEST_CASE("a set that is too large is refused before it is looked at") {
    const auto parsed = system_set::parse(std::string(system_set::serialised_size_max + 1, '\0'));
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code() == errc::invalid);
}
