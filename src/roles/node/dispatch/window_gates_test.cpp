#include "roles/node/dispatch/window_gates.h"

#include <doctest/doctest.h>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;

// Time passes when the test says so.
class held_clock final : public clock {
public:
    instant now_at{1h};
    wall_time wall_at{std::chrono::hours(500'000)};

    instant now() const override { return now_at; }
    wall_time wall() const override { return wall_at; }
    async<void> sleep_until(instant /*when*/) override { co_return result<void>(); }
};

fleet::system_set systems(std::int64_t first, std::int64_t last) {
    return fleet::system_set::range(system_number(first), system_number(last));
}

rollout::attempt_key task(std::int64_t system) {
    return {.job = job_id(7), .system = system_number(system)};
}

job_record patch_night() {
    job_record job;
    job.job = job_id(7);
    job.spec.function = "pkg.upgrade";
    job.spec.windows = job_spec::window_rule::respect;
    return job;
}

// Windows that are as the test says, and no record of durations.
class given_windows final : public window_source {
public:
    windows::gate now;
    took expected;  // of the last look

    windows::gate look(const fleet::system_set& /*systems*/, const took& expected_work) override {
        expected = expected_work;
        return now;
    }
    async<took> measure(job_spec /*work*/) override { co_return took(); }
};

struct fixture {
    held_clock clock;
    given_windows source;
    window_gates gates{clock, source};
};

TEST_CASE("a review tells who came out of the window and who came into it") {
    fixture with;
    with.source.now.closed = systems(1, 2);

    const auto first = with.gates.review(patch_night(), systems(1, 4));
    with.source.now.closed = systems(2, 3);
    const auto second = with.gates.review(patch_night(), systems(1, 4));

    CHECK(first.shut == systems(1, 2));
    CHECK(first.opened.empty());
    CHECK(second.shut == systems(3, 3));
    CHECK(second.opened == systems(1, 1));
    CHECK(with.gates.is_closed(task(3)));
    CHECK_FALSE(with.gates.is_closed(task(1)));
}

TEST_CASE("systems of which nothing is known are closed until a review opens them") {
    fixture with;
    with.gates.shut(job_id(7), systems(1, 2));
    CHECK(with.gates.is_closed(task(1)));

    const auto change = with.gates.review(patch_night(), systems(1, 2));

    CHECK(change.opened == systems(1, 2));
    CHECK_FALSE(with.gates.is_closed(task(1)));
}

TEST_CASE("what a review says holds for a second") {
    fixture with;
    CHECK(with.gates.is_stale(task(1)));
    static_cast<void>(with.gates.review(patch_night(), systems(1, 2)));

    CHECK_FALSE(with.gates.is_stale(task(1)));
    with.clock.now_at += 1s;
    CHECK(with.gates.is_stale(task(1)));
}

TEST_CASE("a task whose time to begin has run out is looked at again, whatever the review said") {
    fixture with;
    with.source.now.begin_by[with.clock.wall_at + 10min] = systems(1, 1);
    static_cast<void>(with.gates.review(patch_night(), systems(1, 2)));
    CHECK(with.gates.time_to_begin(task(1)) == monotonic::duration(10min));
    CHECK_FALSE(with.gates.time_to_begin(task(2)).has_value());

    with.clock.wall_at += 10min;

    CHECK(with.gates.is_stale(task(1)));
    CHECK_FALSE(with.gates.is_stale(task(2)));
}

TEST_CASE("how long work took counts, unless the window limits the start alone") {
    fixture with;
    auto job = patch_night();
    with.gates.learn(job.spec, 90s);

    static_cast<void>(with.gates.review(job, systems(1, 2)));
    CHECK(with.source.expected.samples == 1);
    CHECK(with.source.expected.mean == doctest::Approx(90));
    job.spec.windows = job_spec::window_rule::start;
    static_cast<void>(with.gates.review(job, systems(1, 2)));

    CHECK(with.source.expected.samples == 0);
}

TEST_CASE("a forgotten job has no gate") {
    fixture with;
    with.gates.shut(job_id(7), systems(1, 2));

    with.gates.forget(job_id(7));

    CHECK_FALSE(with.gates.is_closed(task(1)));
    CHECK(with.gates.is_stale(task(1)));
}

}  // namespace
}  // namespace muster::dispatch
