#include "services/fleet/shard.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

namespace muster::fleet {
namespace {

constexpr std::uint64_t prefixes = 12;  // fewer than systems: some share their first eight bytes
constexpr std::uint64_t tails = 3;

fingerprint print_of(std::uint64_t number) {
    fingerprint::bytes_type bytes{};
    bytes.front() = static_cast<unsigned char>(number / tails);
    bytes.back() = static_cast<unsigned char>(number % tails);
    return fingerprint(bytes);
}

TEST_CASE("a shard finds what it has, also among systems that share their first bytes") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        shard known;
        std::map<std::uint64_t, std::int64_t> versions;
        std::set<std::uint64_t> seen;
        std::uint8_t reading = 1;
        for (int step = 0; step < 300; ++step) {
            const auto number = random.below(prefixes * tails);
            system_record row{.print = print_of(number)};
            row.version = step + 1;
            const bool goes = random.below(3) == 0;
            row.stage = goes ? enrolment::evicted : enrolment::accepted;
            known.apply(row, reading);
            versions.erase(number);
            seen.insert(number);
            if (!goes) versions[number] = row.version;
            if (random.below(60) == 0) {
                known.forget_unseen(reading);
                std::erase_if(versions, [&](const auto& one) { return !seen.contains(one.first); });
                seen.clear();
                ++reading;
            }
            REQUIRE(known.systems().size() == versions.size());
            for (std::uint64_t each = 0; each < prefixes * tails; ++each) {
                const auto* const found = known.find(print_of(each));
                const auto wanted = versions.find(each);
                REQUIRE((found != nullptr) == (wanted != versions.end()));
                if (found != nullptr) REQUIRE(found->version() == wanted->second);
            }
        }
    }
}

}  // namespace
}  // namespace muster::fleet
