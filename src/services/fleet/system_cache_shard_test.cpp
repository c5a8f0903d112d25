#include "services/fleet/system_cache_shard.h"

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
        system_cache_shard system_cache_shard;
        std::map<std::uint64_t, std::int64_t> versions;
        std::set<std::uint64_t> observed;
        std::uint8_t reading = 1;
        for (int step = 0; step < 300; ++step) {
            const auto number = random.below(prefixes * tails);
            system_record row{.print = print_of(number)};
            row.version = step + 1;
            const bool goes = random.below(3) == 0;
            row.stage = goes ? enrolment::evicted : enrolment::accepted;
            system_cache_shard.apply(row, reading);
            versions.erase(number);
            observed.insert(number);
            if (!goes) versions[number] = row.version;
            if (random.below(60) == 0) {
                system_cache_shard.erase_unseen(reading);
                std::erase_if(
                    versions, [&](const auto& one) { return !observed.contains(one.first); });
                observed.clear();
                ++reading;
            }
            REQUIRE(system_cache_shard.systems().size() == versions.size());
            for (std::uint64_t each = 0; each < prefixes * tails; ++each) {
                const auto* const found = system_cache_shard.find(print_of(each));
                const auto desired = versions.find(each);
                REQUIRE((found != nullptr) == (desired != versions.end()));
                if (found != nullptr) REQUIRE(found->version() == desired->second);
            }
        }
    }
}

}  // namespace
}  // namespace muster::fleet
