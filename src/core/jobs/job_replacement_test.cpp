#include "core/jobs/job_replacement.h"

#include <doctest/doctest.h>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;
using enum replacement_step;

const wall_time noon(1'700'000'000s);

job_record old_job() {
    job_record job;
    job.job = job_id(1'700'000'000'000'000);
    job.spec.not_before = noon + 1h;
    return job;
}

job_record heir_of(const job_record& old, std::vector<job_id> siblings) {
    job_record heir;
    heir.job = siblings.front();
    heir.spec.replaces = old.job;
    heir.spec.siblings = std::move(siblings);
    heir.phase = job_phase::none;
    heir.reason = "its calendar was replaced";
    return heir;
}

const std::vector<job_id> first{job_id(1'700'000'000'000'010), job_id(1'700'000'000'000'011)};
const std::vector<job_id> second{job_id(1'700'000'000'000'020)};

replacement_step step(const job_record& heir, const job_record& old, bool complete = true) {
    return next_step(heir, &old, {.complete = complete, .safe_from = noon}).step;
}

TEST_CASE("a job is taken over, ends, and only then are its successors let go") {
    auto old = old_job();
    const auto heir = heir_of(old, first);
    REQUIRE(step(heir, old) == cancel_original);

    old = mark_replaced(old, heir);
    CHECK(old.stage == job_stage::cancelling);
    CHECK(old.spec.replaced_by == first);
    CHECK(old.reason.contains(to_string(first.front())));
    CHECK(step(heir, old) == wait);

    old.stage = job_stage::cancelled;
    REQUIRE(step(heir, old) == release);
    const auto free = release_replacement(heir);
    CHECK(free.phase == job_phase::all);
    CHECK_FALSE(waits_for_original(free.spec));
    CHECK(free.spec.replaces == old.job);
}

TEST_CASE("of two that want to take a job's place the one its record names does") {
    auto old = old_job();
    old = mark_replaced(old, heir_of(old, first));
    for (const auto stage : {job_stage::cancelling, job_stage::cancelled}) {
        old.stage = stage;
        CHECK(step(heir_of(old, second), old) == abandon);
        CHECK(step(heir_of(old, first), old) != abandon);
    }
}

TEST_CASE("a job that ended by itself or was cancelled by somebody has no successors") {
    auto old = old_job();
    for (const auto stage :
         {job_stage::cancelling, job_stage::cancelled, job_stage::done, job_stage::expired}) {
        old.stage = stage;
        CHECK(step(heir_of(old, first), old) == abandon);
    }
    CHECK(next_step(heir_of(old, first), nullptr, {.safe_from = noon}).step == abandon);
}

TEST_CASE("a job that may have started somewhere is not taken over, because it would run twice") {
    auto old = old_job();
    old.spec.not_before = noon - 1us;
    CHECK(step(heir_of(old, first), old) == abandon);
    old.spec.not_before = noon;
    CHECK(step(heir_of(old, first), old) == cancel_original);
    old.spec.not_before.reset();
    CHECK(step(heir_of(old, first), old) == abandon);
}

TEST_CASE("a job that began in spite of everything is not done a second time") {
    auto old = old_job();
    const auto heir = heir_of(old, first);
    old = mark_replaced(old, heir);
    old.stage = job_stage::cancelled;
    const auto step = next_step(heir, &old, {.original_begun = true, .safe_from = noon});
    CHECK(step.step == abandon);
    CHECK(step.reason.contains("already started"));
}

TEST_CASE("successors that are not all on record are given up, for some systems are in none") {
    CHECK(step(heir_of(old_job(), first), old_job(), false) == abandon);
}

TEST_CASE("a successor's successor waits for its turn") {
    const auto old = old_job();
    auto middle = heir_of(old, first);
    middle.spec.not_before = noon + 1h;
    const auto last = heir_of(middle, second);

    CHECK(step(last, middle) == wait);
    CHECK(step(last, release_replacement(middle)) == cancel_original);
}

TEST_CASE("a successor waits for its parents and has its canaries go first") {
    auto heir = heir_of(old_job(), first);
    heir.spec.rollout.canary = amount{.value = 1};
    CHECK(release_replacement(heir).phase == job_phase::canaries);
    heir.spec.parents = {job_id(1)};
    CHECK(release_replacement(heir).phase == job_phase::none);
}

TEST_CASE("a job with limits stays one, at the start that suits most of its systems") {
    rollout_options options;
    CHECK_FALSE(must_stay_whole(options));
    options.batch = amount{.value = 3};
    CHECK(must_stay_whole(options));
    options = {};
    options.rate = 2;
    CHECK(must_stay_whole(options));
    options = {};
    options.canary = amount{.value = 1};
    CHECK(must_stay_whole(options));
    options = {};
    options.max_failures = amount{.value = 0};
    CHECK(must_stay_whole(options));

    const auto systems = [](std::int64_t first, std::int64_t last) {
        return fleet::system_set::range(system_number(first), system_number(last));
    };
    CHECK(
        merge_starts(
            {{noon, systems(1, 2)}, {noon + 1h, systems(3, 6)}, {noon + 2h, systems(7, 10)}})
        == planned_starts{{noon + 1h, systems(1, 10)}});
    CHECK(merge_starts({{noon, {}}}).empty());
}

}  // namespace
}  // namespace muster::jobs
