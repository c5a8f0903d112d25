#include "core/jobs/retention.h"

#include "base/prng.h"

#include <doctest/doctest.h>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::hours day(24);
const table::partitioning weeks{.column = "job", .span = 7 * day};

wall_time at(std::chrono::hours since) {
    return wall_time(since);
}
job_id job_made(std::chrono::hours since) {
    return job_id_at(at(since));
}

TEST_CASE("a span goes when the youngest job it could hold is old enough") {
    const retention_facts facts{.now = at(97 * day), .oldest = at(3 * day), .oldest_needed = {}};

    CHECK(next_to_retire(facts, 90 * day, weeks) == record_span{at(0 * day), at(7 * day)});
    CHECK_FALSE(next_to_retire(facts, 90 * day + 1h, weeks).has_value());
}

TEST_CASE("without a record nothing goes") {
    CHECK_FALSE(next_to_retire({.now = at(900 * day)}, 90 * day, weeks).has_value());
    CHECK_FALSE(is_held_back({.now = at(900 * day)}, 90 * day, weeks));
}

TEST_CASE("an open job holds back its span and all that are younger") {
    retention_facts facts{
        .now = at(900 * day), .oldest = at(3 * day), .oldest_needed = job_made(5 * day)};
    CHECK_FALSE(next_to_retire(facts, 90 * day, weeks).has_value());
    CHECK(is_held_back(facts, 90 * day, weeks));

    facts.oldest_needed = job_made(7 * day);
    CHECK(next_to_retire(facts, 90 * day, weeks).has_value());
    CHECK_FALSE(is_held_back(facts, 90 * day, weeks));
}

TEST_CASE("never does anything go that is younger than the limit or needed, whatever the times") {
    const std::uint64_t seed = 20261116;
    CAPTURE(seed);
    prng random(seed);
    for (int round = 0; round < 20'000; ++round) {
        const auto now = at(std::chrono::hours(random.below(24 * 1000)));
        const std::chrono::hours keep(random.below(24 * 200));
        retention_facts facts{
            .now = now, .oldest = at(std::chrono::hours(random.below(24 * 1000)))};
        if (random.below(2) == 0)
            facts.oldest_needed = job_made(std::chrono::hours(random.below(24 * 1000)));
        const auto due = next_to_retire(facts, keep, weeks);
        if (!due) continue;
        CHECK(due->until <= now - keep);
        CHECK(due->from <= *facts.oldest);
        CHECK(*facts.oldest < due->until);
        if (facts.oldest_needed) CHECK(created_at(*facts.oldest_needed) >= due->until);
    }
}

}  // namespace
}  // namespace muster::jobs
