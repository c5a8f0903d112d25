#include "core/rollout/task_scheduler_fixture.h"

#include <doctest/doctest.h>

#include <chrono>

// Jobs that end before their tasks, and waiting tasks that another node takes over.
namespace muster::rollout {
namespace {

using namespace std::chrono_literals;

TEST_CASE("who was away when its task was to be ended is told when it is back") {
    node_under_test node;
    node.attach(1, 2);
    node.open({}, 1, 2);
    node.take(node.machine.on_accepted({node.job, system_number(1), 1}, node.now));
    node.take(node.machine.on_detached(system_number(1), node.now));
    node.take(node.machine.on_detached(system_number(2), node.now));
    node.take(node.machine.set_stage(node.job, job_stage::cancelling, true, node.now));
    const auto response = node.seen<kill>().size();

    node.attach(1, 2);

    REQUIRE(node.seen<kill>().size() == response + 2);
    CHECK(node.seen<kill>()[response].task == attempt_key{node.job, system_number(1), 1});
    CHECK(node.seen<kill>()[response + 1].task == attempt_key{node.job, system_number(2), 1});
}

TEST_CASE("an heir ends what its predecessor started once the system is there") {
    node_under_test node;
    share share = node.targets(1, 1);
    share.running.push_back(
        {.system = system_number(1), .starter = node_id("dead"), .started = node.now});
    node.take(node.machine.open(node.terms({}, 1), share, node.now).value());
    node.take(node.machine.set_stage(node.job, job_stage::cancelling, true, node.now));
    const auto response = node.seen<kill>().size();

    node.attach(1, 1);

    CHECK(node.seen<kill>().size() == response + 1);
}

TEST_CASE("an ended job is told to be done, also when its share was done before") {
    node_under_test node;
    node.attach(1, 1);
    node.open({}, 1, 1);
    node.completes(1);
    CHECK(node.seen<share_done>().size() == 1);

    node.take(node.machine.set_stage(node.job, job_stage::done, false, node.now));

    CHECK(node.seen<share_done>().size() == 2);
}

TEST_CASE("what was in flight when the job was halted gives its points back when it returns") {
    node_under_test node;
    node.attach(1, 2);
    node.open({}, 1, 2);
    node.take(node.machine.set_stage(node.job, job_stage::halted, false, node.now));
    CHECK(node.running() == 2);

    node.completes(1);
    CHECK(node.seen<share_done>().empty());
    node.fails(2);

    CHECK(node.running() == 0);
    CHECK(node.seen<share_done>().size() == 1);
}

TEST_CASE("a task that waits for its next attempt goes on waiting with the system's next node") {
    node_under_test node;
    node.attach(1, 3);
    share share = node.targets(1, 3);
    share.waiting.push_back({.system = system_number(1), .attempt = 3, .since = node.now - 5s});
    share.waiting.push_back({.system = system_number(2), .attempt = 2, .since = node.now - 10s});
    const auto terms = node.terms({.retries = 3, .retry_wait = 10s}, 3);
    node.take(node.machine.open(terms, share, node.now).value());

    const auto begun = node.take(node.machine.set_permission(node.job, start_all{}, node.now));
    CHECK(begun == started{{2, 2}, {3, 1}});
    CHECK(node.report().queued == 1);
    node.take(node.machine.add_share(node.job, share, node.now));  // told twice
    CHECK(node.report().queued == 1);
    CHECK(node.at(14s).empty());

    CHECK(node.at(1s) == started{{1, 3}});
}

TEST_CASE("an heir does not let a task wait whose attempts were not failures") {
    node_under_test node;
    node.attach(1, 1);
    share share = node.targets(1, 1);
    share.waiting.push_back({.system = system_number(1), .attempt = 2, .since = node.now});
    node.take(node.machine.open(node.terms({.retries = 0}, 1), share, node.now).value());

    CHECK(
        node.take(node.machine.set_permission(node.job, start_all{}, node.now)) == started{{1, 2}});
}

}  // namespace
}  // namespace muster::rollout
