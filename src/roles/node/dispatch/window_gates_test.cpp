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
    windows::window_admission now;
    measured_duration expected;  // of the last look

    windows::window_admission check(
        const fleet::system_set& /*systems*/, const measured_duration& expected_work) override {
        expected = expected_work;
        return now;
    }
    async<measured_duration> measure(job_spec /*work*/) override { co_return measured_duration(); }
};

struct fixture {
    held_clock clock;
    given_windows source;
    window_gates gates{clock, source};
};

TEST_CASE("a review tells who came out of the window and who came into it") {
    fixture setup;
    setup.source.now.closed = systems(1, 2);

    const auto first = setup.gates.update(patch_night(), systems(1, 4));
    setup.source.now.closed = systems(2, 3);
    const auto second = setup.gates.update(patch_night(), systems(1, 4));

    CHECK(first.closed == systems(1, 2));
    CHECK(first.opened.empty());
    CHECK(second.closed == systems(3, 3));
    CHECK(second.opened == systems(1, 1));
    CHECK(setup.gates.is_closed(task(3)));
    CHECK_FALSE(setup.gates.is_closed(task(1)));
}

TEST_CASE("systems of which nothing is known are closed until a review opens them") {
    fixture setup;
    setup.gates.close(job_id(7), systems(1, 2));
    CHECK(setup.gates.is_closed(task(1)));

    const auto change = setup.gates.update(patch_night(), systems(1, 2));

    CHECK(change.opened == systems(1, 2));
    CHECK_FALSE(setup.gates.is_closed(task(1)));
}

TEST_CASE("what a review says holds for a second") {
    fixture setup;
    CHECK(setup.gates.is_stale(task(1)));
    static_cast<void>(setup.gates.update(patch_night(), systems(1, 2)));

    CHECK_FALSE(setup.gates.is_stale(task(1)));
    setup.clock.now_at += 1s;
    CHECK(setup.gates.is_stale(task(1)));
}

TEST_CASE("a task whose time to begin has run out is looked at again, whatever the review said") {
    fixture setup;
    setup.source.now.latest_starts[setup.clock.wall_at + 10min] = systems(1, 1);
    static_cast<void>(setup.gates.update(patch_night(), systems(1, 2)));
    CHECK(setup.gates.remaining_time(task(1)) == monotonic::duration(10min));
    CHECK_FALSE(setup.gates.remaining_time(task(2)).has_value());

    setup.clock.wall_at += 10min;

    CHECK(setup.gates.is_stale(task(1)));
    CHECK_FALSE(setup.gates.is_stale(task(2)));
}

TEST_CASE("how long work took counts, unless the window limits the start alone") {
    fixture setup;
    auto job = patch_night();
    setup.gates.add_duration(job.spec, 90s);

    static_cast<void>(setup.gates.update(job, systems(1, 2)));
    CHECK(setup.source.expected.samples == 1);
    CHECK(setup.source.expected.mean == doctest::Approx(90));
    job.spec.windows = job_spec::window_rule::start;
    static_cast<void>(setup.gates.update(job, systems(1, 2)));

    CHECK(setup.source.expected.samples == 0);
}

TEST_CASE("a forgotten job has no gate") {
    fixture setup;
    setup.gates.close(job_id(7), systems(1, 2));

    setup.gates.forget(job_id(7));

    CHECK_FALSE(setup.gates.is_closed(task(1)));
    CHECK(setup.gates.is_stale(task(1)));
}

}  // namespace
}  // namespace muster::dispatch
