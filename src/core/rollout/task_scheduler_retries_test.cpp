#include "core/rollout/task_scheduler_fixture.h"

#include <doctest/doctest.h>

namespace muster::rollout {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a failed task is tried again after a wait that doubles, and then stays failed") {
    node_under_test node;
    node.attach(1, 1);
    node.open({.retries = 2, .retry_wait = 10s}, 1, 1);

    CHECK(node.fails(1).empty());
    CHECK(node.seen<conclude>().back().state == task_state::queued);
    CHECK(node.at(10s) == started{{1, 2}});
    CHECK(node.fails(1, 2).empty());
    CHECK(node.at(19s).empty());
    CHECK(node.at(1s) == started{{1, 3}});
    CHECK(node.fails(1, 3).empty());

    CHECK(node.seen<conclude>().back().state == task_state::failed);
    CHECK(node.seen<share_done>().size() == 1);
}

TEST_CASE("a failure that is told twice is decided once") {
    node_under_test node;
    node.attach(1, 1);
    node.open({.retries = 1, .retry_wait = 10s}, 1, 1);
    node.take(node.machine.on_returned(
        {node.job, system_number(1), 1}, outcome::not_started, "its window closed", node.now));
    CHECK(node.at(5s) == started{{1, 2}});
    CHECK(node.fails(1, 2).empty());

    // What was not started used up no retry, and the second time is no other attempt.
    for (int times = 0; times < 2; ++times) {
        CHECK(node.fails(1, 2).empty());
        CHECK(node.seen<conclude>().back().state == task_state::queued);
    }
    CHECK(node.at(10s) == started{{1, 3}});
    const auto concluded = node.seen<conclude>().size();
    CHECK(node.fails(1, 2).empty());
    CHECK(node.seen<conclude>().size() == concluded);
}

TEST_CASE("what an attempt achieved counts although another was to follow it") {
    node_under_test node;
    node.attach(1, 1);
    node.open({.retries = 1, .retry_wait = 10s}, 1, 1);
    CHECK(node.fails(1).empty());

    CHECK(node.completes(1, 1).empty());

    CHECK(node.seen<conclude>().back().state == task_state::completed);
    CHECK(node.seen<share_done>().size() == 1);
    CHECK(node.at(1h).empty());
}

}  // namespace
}  // namespace muster::rollout
