#include "core/rollout/plan.h"

#include <doctest/doctest.h>

#include <chrono>

namespace muster::rollout {
namespace {

using namespace std::chrono_literals;

const auto ten_percent = amount{.unit = amount::units::percent, .value = 10};

TEST_CASE("a batch counts as Salt counts: below one it is one, otherwise the fraction is dropped") {
    CHECK(concurrency_of({.batch = ten_percent}, 3) == 1);
    CHECK(concurrency_of({.batch = ten_percent}, 19) == 1);
    CHECK(concurrency_of({.batch = ten_percent}, 29) == 2);
    CHECK(concurrency_of({.batch = amount{.value = 7}}, 3) == 7);
    CHECK(concurrency_of({}, 100) == std::nullopt);
}

TEST_CASE("a batch of nothing is a batch of one: no job stands still for ever") {
    CHECK(concurrency_of({.batch = amount{.value = 0}}, 100) == 1);
}

TEST_CASE("many targets without a batch get the safe one") {
    const default_batch_rule limit{.targets_min = 100, .batch = 8};

    CHECK_FALSE(apply_default_batch({}, 99, limit).batch.has_value());
    CHECK(apply_default_batch({}, 100, limit).batch == amount{.value = 8});
    CHECK(apply_default_batch({.batch = ten_percent}, 100, limit).batch == ten_percent);
    CHECK_FALSE(apply_default_batch({}, 100, {.targets_min = 1}).batch.has_value());
}

TEST_CASE("canaries are taken from those that are there, spread over the targets") {
    const auto targets = fleet::system_set::range(system_number(1), system_number(1000));
    const auto attached = fleet::system_set::range(system_number(501), system_number(2000));

    const auto chosen = choose_canaries(targets, attached, 5, prng(7));

    CHECK(chosen.size() == 5);
    CHECK(chosen.subset_of(targets & attached));
    CHECK(
        chosen.common_with(fleet::system_set::range(system_number(501), system_number(600))) == 1);
    CHECK(chosen == choose_canaries(targets, attached, 5, prng(7)));
}

TEST_CASE("canaries are filled up with systems that are away if too few are there") {
    const auto targets = fleet::system_set::range(system_number(1), system_number(10));

    const auto chosen = choose_canaries(targets, {system_number(3)}, 4, prng(7));

    CHECK(chosen.size() == 4);
    CHECK(chosen.contains(system_number(3)));
    CHECK(choose_canaries(targets, {}, 99, prng(7)) == targets);
}

TEST_CASE("a job's time counts from when it was asked for, or from when it was made") {
    const auto result = job_id_at(wall_time(1000s));
    job_spec spec{.expires_after = 24h};
    const instant now(500h);
    CHECK(period_of(spec, result, wall_time(1010s), now).opens == now - 10s);

    spec.not_before = wall_time(5000s);

    CHECK(period_of(spec, result, wall_time(1010s), now).opens == now + 3990s);
    CHECK(period_of(spec, result, wall_time(1010s), now).expires == now + 3990s + 24h);
}

}  // namespace
}  // namespace muster::rollout
