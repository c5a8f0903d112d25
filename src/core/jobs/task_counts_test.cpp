#include "core/jobs/task_counts.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <map>
#include <vector>

namespace muster::jobs {
namespace {

fleet::system_set first(std::int64_t count) {
    return fleet::system_set::range(system_number(1), system_number(count));
}

TEST_CASE("a task without a record is queued, or what the end of its job makes of it") {
    task_sets sets(first(10));
    sets.set_state(system_number(3), task_state::completed);
    sets.set_state(system_number(4), task_state::queued);  // waits for another attempt

    CHECK(sets.counts(job_stage::open)[task_state::queued] == 9);
    CHECK(sets.counts(job_stage::halted)[task_state::cancelled] == 9);
    CHECK(sets.counts(job_stage::expired)[task_state::expired] == 9);
    CHECK(sets.members(task_state::queued, job_stage::open).contains(system_number(4)));
    CHECK(sets.members(task_state::queued, job_stage::cancelled).empty());
    CHECK(sets.recorded() == 2);
}

TEST_CASE("a record of a system that is no target is not counted") {
    task_sets sets(first(2));
    sets.set_state(system_number(3), task_state::failed);

    CHECK(sets.counts(job_stage::open).sum() == 2);
    CHECK(sets.counts(job_stage::open).ended() == 0);
}

TEST_CASE("whatever is recorded, every state has the members a map would tell, and they sum to N") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        const auto targets = static_cast<std::int64_t>(1 + random.below(200));
        task_sets sets(first(targets));
        std::map<std::int64_t, task_state> latest;
        for (int n = 0; n < 300; ++n) {
            const auto system = static_cast<std::int64_t>(1 + random.below(220));
            const auto state = all_task_states.at(random.below(all_task_states.size()));
            sets.set_state(system_number(system), state);
            if (system <= targets) latest[system] = state;
        }
        constexpr std::array stages{job_stage::open, job_stage::halted, job_stage::expired};
        const auto stage = stages.at(random.below(stages.size()));
        std::map<task_state, fleet::system_set> expected;
        for (std::int64_t system = 1; system <= targets; ++system) {
            task_record row;
            const auto it = latest.find(system);
            if (it != latest.end()) row.state = it->second;
            const auto state = state_of(it == latest.end() ? nullptr : &row, stage);
            expected[state].add(system_number(system));
        }
        const auto counted = sets.counts(stage);
        CHECK(counted.sum() == static_cast<std::uint64_t>(targets));
        for (const auto all_task_state : all_task_states) {
            CHECK(sets.members(all_task_state, stage) == expected[all_task_state]);
            CHECK(counted[all_task_state] == expected[all_task_state].size());
        }
    }
}

}  // namespace
}  // namespace muster::jobs
