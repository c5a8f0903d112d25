#include "core/jobs/outcome_groups.h"

#include <doctest/doctest.h>

namespace muster::jobs {
namespace {

task_record ended(std::int64_t system, task_state state, const std::string& digest) {
    task_record task;
    task.system = system;
    task.state = state;
    task.digest = digest;
    return task;
}

TEST_CASE("tasks with the same outcome and output are one group, the failed before the others") {
    outcome_groups groups({.groups_max = 10, .examples_max = 2});
    for (std::int64_t system = 1; system <= 5; ++system)
        groups.add(ended(system, task_state::completed, "same"));
    groups.add(ended(6, task_state::completed, "other"));
    groups.add(ended(7, task_state::failed, "same"));
    groups.add(ended(8, task_state::picked_up, ""));

    const auto sorted = groups.sorted();
    REQUIRE(sorted.size() == 3);
    CHECK(sorted[0].state == task_state::failed);
    CHECK(sorted[1].count == 5);
    CHECK(sorted[1].examples == std::vector<std::int64_t>{1, 2});
    CHECK(sorted[2].digest == "other");
}

TEST_CASE("without any output the reason tells failures apart") {
    outcome_groups groups({});
    auto lost = ended(1, task_state::failed, "");
    lost.reason = "interrupted";
    auto late = ended(2, task_state::failed, "");
    late.reason = "timed out";
    groups.add(lost);
    groups.add(late);
    CHECK(groups.sorted().size() == 2);
}

TEST_CASE("groups beyond the limit are counted together") {
    outcome_groups groups({.groups_max = 3, .examples_max = 1});
    for (std::int64_t system = 1; system <= 10; ++system)
        groups.add(ended(system, task_state::completed, std::to_string(system)));
    groups.add(ended(11, task_state::completed, "1"));
    CHECK(groups.sorted().size() == 3);
    CHECK(groups.ungrouped() == 7);
    CHECK(groups.sorted().front().count == 2);
}

}  // namespace
}  // namespace muster::jobs
