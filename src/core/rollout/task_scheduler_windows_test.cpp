#include "core/rollout/task_scheduler_fixture.h"

#include <doctest/doctest.h>

// Tasks that were sent and not begun.
namespace muster::rollout {
namespace {

using namespace std::chrono_literals;

started could_not_start(node_under_test& node, std::uint32_t attempt) {
    const attempt_key task{node.job, system_number(1), attempt};
    return node.take(
        node.machine.on_returned(task, outcome::not_started, "its window closed", node.now));
}

TEST_CASE("a task that could not start is queued again and uses up no retry") {
    node_under_test node;
    node.attach(1, 1);
    node.open({.retries = 1, .retry_wait = 1s}, 1, 1);

    CHECK(could_not_start(node, 1).empty());
    CHECK(node.seen<conclude>().back().state == task_state::queued);
    CHECK(node.at(node_job_state::unstarted_wait) == started{{1, 2}});
    CHECK(could_not_start(node, 2).empty());
    CHECK(node.at(node_job_state::unstarted_wait) == started{{1, 3}});

    CHECK(node.fails(1, 3).empty());
    CHECK(node.seen<conclude>().back().state == task_state::queued);
    CHECK(node.at(1s) == started{{1, 4}});
    node.fails(1, 4);
    CHECK(node.seen<conclude>().back().state == task_state::failed);
}

TEST_CASE("a task that could not start is no failure: neither limit nor canary stops its job") {
    node_under_test node;
    node.attach(1, 1);
    node.open(
        {.max_failures = amount{.value = 0}}, 1, 1, canaries_only{.systems = {system_number(1)}});

    could_not_start(node, 1);

    CHECK(node.seen<halt>().empty());
    CHECK(node.report().queued == 1);
}

TEST_CASE("a task that could not start waits for its gate as any other") {
    node_under_test node;
    node.attach(1, 1);
    node.open({}, 1, 1);
    node.take(node.machine.set_window(
        node.job, {system_number(1)}, task_scheduler::window_state::closed, node.now));

    could_not_start(node, 1);
    CHECK(node.at(1h).empty());

    CHECK(
        node.take(node.machine.set_window(
            node.job, {system_number(1)}, task_scheduler::window_state::open, node.now))
        == started{{1, 2}});
}

TEST_CASE("a task that could not start before its job ended has failed") {
    node_under_test node;
    node.attach(1, 1);
    node.open({.retries = 3}, 1, 1);
    node.take(node.machine.set_stage(node.job, job_stage::cancelling, false, node.now));

    could_not_start(node, 1);

    CHECK(node.seen<conclude>().back().state == task_state::failed);
    CHECK(node.seen<share_done>().size() == 1);
}

TEST_CASE("what never got to its agent is asked about, not sent, from the end of the job's time") {
    node_under_test node;
    node.attach(1, 1);
    node.open({}, 1, 1);
    node.take(node.machine.on_detached(system_number(1), node.now));
    node.now += 24h;  // expire() has not run yet

    node.take(node.machine.on_attached(system_number(1), node.now));
    CHECK(node.seen<resend_task>().empty());
    REQUIRE(node.seen<query_task>().size() == 1);
    node.take(node.machine.on_unknown({node.job, system_number(1), 1}, node.now));

    CHECK(node.seen<resend_task>().empty());
    CHECK(node.seen<conclude>().back().reason == "task had not started when its job ended");
}

}  // namespace
}  // namespace muster::rollout
