#include "core/rollout/task_scheduler_fixture.h"

#include <doctest/doctest.h>

#include <chrono>

// What agents say they can bear (AGT-02).
namespace muster::rollout {
namespace {

using namespace std::chrono_literals;

// Another job for system 1; what is started of it.
started one_more(node_under_test& node, int number) {
    auto terms = node.terms({}, 1);
    terms.job = job_id_at(wall_time(std::chrono::seconds(100 + number)));
    auto begun =
        node.take(node.machine.open(terms, node_under_test::targets(1, 1), node.now).value());
    const auto more = node.take(node.machine.set_permission(terms.job, start_all{}, node.now));
    begun.insert(begun.end(), more.begin(), more.end());
    return begun;
}

TEST_CASE("no more tasks are in flight on a system than its agent runs at once") {
    node_under_test node;
    CHECK(node.take(node.machine.set_running_max(system_number(1), 2, node.now)).empty());
    node.attach(1, 1);

    CHECK(node.open({}, 1, 1) == started{{1, 1}});
    CHECK(one_more(node, 1) == started{{1, 1}});
    CHECK(one_more(node, 2).empty());

    CHECK(node.completes(1) == started{{1, 1}});
}

TEST_CASE("an agent that says nothing, or bears more than its points, is started on up to these") {
    for (const std::uint32_t running_max : {0U, 100U}) {
        node_under_test node(scheduler_options{.self = node_id("node1"), .system_tasks_max = 2});
        node.take(node.machine.set_running_max(system_number(1), running_max, node.now));
        node.attach(1, 1);

        CHECK(one_more(node, 1).size() == 1);
        CHECK(one_more(node, 2).size() == 1);
        CHECK(one_more(node, 3).empty());
    }
}

TEST_CASE("what an agent bears counts from the moment that it says so, also while it works") {
    node_under_test node;
    node.attach(1, 1);
    node.open({}, 1, 1);
    one_more(node, 1);

    node.take(node.machine.set_running_max(system_number(1), 1, node.now));
    CHECK(one_more(node, 2).empty());
    CHECK(node.completes(1).empty());  // one of two is left, and one is all it bears
    CHECK(
        node.take(node.machine.set_running_max(system_number(1), 2, node.now)) == started{{1, 1}});
}

TEST_CASE("whoever gets a system anew asks anew what it bears") {
    node_under_test node;
    node.take(node.machine.set_running_max(system_number(1), 1, node.now));
    node.attach(1, 1);
    node.take(node.machine.remove_systems({system_number(1)}, 1, node.now));
    node.attach(1, 1);

    CHECK(one_more(node, 1).size() == 1);
    CHECK(one_more(node, 2).size() == 1);
}

}  // namespace
}  // namespace muster::rollout
