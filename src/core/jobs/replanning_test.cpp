#include "core/jobs/replanning.h"

#include <doctest/doctest.h>

#include <vector>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;
using fleet::system_set;
using step = job_replacement::action_kind;

const wall_time noon(1'700'000'000s);
const wall_time evening = noon + 8h;
const wall_time morning = noon + 16h;
const system_set four = system_set::range(system_number(1), system_number(4));
const system_set two{system_number(1), system_number(2)};

job_record planned_job(std::int64_t id = 1) {
    job_record job;
    job.job = job_id(1'700'000'000'000'000 + id);
    job.spec.windows = job_spec::window_rule::respect;
    job.spec.not_before = evening;
    job.spec.note = "patches";
    return job;
}

std::set<job_id> planned(const std::vector<job_record>& open, wall_time now = noon) {
    std::vector<const job_record*> jobs;
    for (const auto& job : open) jobs.push_back(&job);
    return find_planned(jobs, now);
}

job_replacement replaced(const job_record& job, planned_starts starts, system_set canaries = {}) {
    return plan_replacement(
        job,
        {.systems = four, .canaries = std::move(canaries)},
        std::move(starts),
        "a new calendar");
}

TEST_CASE("planned is what stands, respects windows and starts later than in a minute") {
    const auto job = planned_job();
    CHECK(planned({job}).contains(job.job));
    CHECK(planned({job}, evening - 61s).contains(job.job));
    CHECK(planned({job}, evening - 60s).empty());
    auto other = job;
    other.stage = job_stage::paused;
    CHECK(planned({other}).contains(job.job));
    other.stage = job_stage::cancelling;
    CHECK(planned({other}).empty());
    other = job;
    other.spec.windows = job_spec::window_rule::ignore;
    CHECK(planned({other}).empty());
    other = job;
    other.spec.not_before.reset();
    CHECK(planned({other}).empty());
}

TEST_CASE("a job that another is about to take the place of is not planned, the other is") {
    const auto old = planned_job(1);
    auto heir = planned_job(2);
    heir.spec.replaces = old.job;
    heir.spec.siblings = {heir.job};
    CHECK(planned({old, heir}) == std::set<job_id>{heir.job});
    heir.spec.siblings.clear();
    CHECK(planned({old, heir}).size() == 2);
}

TEST_CASE("a verdict moves or takes back the systems of its schedule, and leaves the others") {
    const auto job = planned_job();
    auto starts = starts_of(job, {.systems = four, .canaries = {}});
    CHECK_FALSE(apply_decision({.plan = {}, .action = windows::kept{}}, two, starts));
    CHECK(starts == planned_starts{{evening, four}});
    CHECK(apply_decision({.plan = {}, .action = windows::moved{.start = morning}}, two, starts));
    CHECK(starts == planned_starts{{evening, four - two}, {morning, two}});
    CHECK(apply_decision({.plan = {}, .action = windows::cancelled{}}, four - two, starts));
    CHECK(starts == planned_starts{{evening, {}}, {morning, two}});
}

TEST_CASE("a job stays when its start does, and is cancelled when none is left") {
    const auto job = planned_job();
    CHECK(replaced(job, {{evening, four}, {morning, {}}}).action == step::keep);
    CHECK(replaced(job, {{evening, {}}}).action == step::cancel);
    CHECK(replaced(job, {}).action == step::cancel);
}

TEST_CASE("a job goes on as one for each start that is left, in its place") {
    auto job = planned_job();
    job.version = 7;
    const auto result = replaced(job, {{evening, four - two}, {morning, two}});

    REQUIRE(result.action == step::replace);
    REQUIRE(result.replacements.size() == 2);
    CHECK(result.replacements[0].targets.systems == four - two);
    CHECK(result.replacements[1].targets.systems == two);
    const auto& heir = result.replacements[1].record;
    CHECK(heir.spec.not_before == morning);
    CHECK(heir.spec.replaces == job.job);
    CHECK(heir.spec.note == "in place of job " + to_string(job.job) + ": patches");
    CHECK(heir.reason == "a new calendar");
    CHECK(heir.phase == job_phase::none);
    CHECK(heir.version == 1);
}

TEST_CASE("who takes the place of an heir names that one alone, with what people wrote") {
    const auto first = replaced(planned_job(), {{morning, four}}).replacements.at(0).record;
    auto second = first;
    second.job = job_id(1'700'000'000'000'009);
    const auto third = replaced(second, {{evening, four}}).replacements.at(0).record;
    CHECK(third.spec.note == "in place of job " + to_string(second.job) + ": patches");
}

TEST_CASE("a paused job goes on paused, and says why it was") {
    auto job = planned_job();
    job.stage = job_stage::paused;
    job.reason = "by admin";
    const auto heir = replaced(job, {{morning, four}}).replacements.at(0).record;
    CHECK(heir.stage == job_stage::paused);
    CHECK(heir.reason == "a new calendar; by admin");
}

TEST_CASE("a job whose limits are for all of its systems goes on as one, when most start") {
    auto job = planned_job();
    job.spec.rollout.batch = parse_amount("1").value();
    const system_set three = four - system_set{system_number(1)};
    const auto result = replaced(job, {{evening, four - three}, {morning, three}});
    REQUIRE(result.replacements.size() == 1);
    CHECK(result.replacements[0].record.spec.not_before == morning);
    CHECK(result.replacements[0].targets.systems == four);
}

TEST_CASE("more starts than jobs that can be made at once become one") {
    const auto many = system_set::range(system_number(1), system_number(101));
    planned_starts starts;
    many.for_each([&](system_number system_number) {
        starts[morning + system_number.value() * 1s] = {system_number};
    });
    const auto replacement = plan_replacement(
        planned_job(), {.systems = many, .canaries = {}}, starts, "a new calendar");
    REQUIRE(replacement.replacements.size() == 1);
    CHECK(replacement.replacements[0].targets.systems == many);
}

TEST_CASE("canaries that are left stay canaries, and others are chosen if none are") {
    auto job = planned_job();
    job.spec.rollout.canary = parse_amount("1").value();
    job.phase = job_phase::canaries;
    CHECK(replaced(job, {{morning, two}}, two).replacements.at(0).targets.canaries == two);
    const auto new_canaries =
        replaced(job, {{morning, two}}, four - two).replacements.at(0).targets.canaries;
    CHECK(new_canaries.size() == 1);
    CHECK(new_canaries.subset_of(two));
}

TEST_CASE("what the old job does not wait for any more, the new one need not") {
    auto job = planned_job();
    job.spec.rollout.canary = parse_amount("1").value();
    job.spec.rollout.canary_wait = 10min;
    job.spec.parents = {job_id(3)};
    job.phase = job_phase::all;
    const auto released = replaced(job, {{morning, four}}, two).replacements.at(0);
    CHECK_FALSE(released.record.spec.rollout.canary.has_value());
    CHECK(released.record.spec.rollout.canary_wait == 0s);
    CHECK(released.record.spec.parents.empty());
    CHECK(released.targets.canaries.empty());
    job.phase = job_phase::none;
    CHECK(replaced(job, {{morning, four}}).replacements.at(0).record.spec.parents.size() == 1);
}

}  // namespace
}  // namespace muster::jobs
