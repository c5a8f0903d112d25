#include "core/rollout/task_scheduler_fixture.h"

#include <doctest/doctest.h>

#include <chrono>

// Work that takes no points.
namespace muster::rollout {
namespace {

using namespace std::chrono_literals;

job_terms ping_of(const node_under_test& node, std::uint64_t count) {
    auto terms = node.terms({}, count);
    terms.job = job_id_at(wall_time(2s));
    terms.limited = false;
    return terms;
}

started ping(node_under_test& node, std::int64_t first, std::int64_t last) {
    const auto terms = ping_of(node, static_cast<std::uint64_t>(last - first + 1));
    auto begun = node.take(
        node.machine.open(terms, node_under_test::targets(first, last), node.now).value());
    const auto more = node.take(node.machine.set_permission(terms.job, start_all{}, node.now));
    begun.insert(begun.end(), more.begin(), more.end());
    return begun;
}

TEST_CASE("only a test.ping takes no points") {
    const instant now(1h);
    job_record record{.job = job_id_at(wall_time(1s)), .spec = {.function = "cmd.run"}};
    CHECK(terms_of(record, wall_time(1s), now).limited);
    record.spec.function = "test.ping";

    CHECK_FALSE(terms_of(record, wall_time(1s), now).limited);
}

TEST_CASE("who takes no points waits neither for a full node nor for a busy system") {
    node_under_test node(
        scheduler_options{.self = node_id("node1"), .node_tasks_max = 2, .system_tasks_max = 1});
    node.attach(1, 3);
    node.open({}, 1, 3);
    REQUIRE(node.running() == 2);

    CHECK(ping(node, 1, 3) == started{{1, 1}, {2, 1}, {3, 1}});

    CHECK(node.running() == 2);
    CHECK(node.machine.in_flight() == 5);
    CHECK(node.completes(1) == started{{3, 1}});
}

TEST_CASE("what takes no points gives none back, and waits for its system like others") {
    node_under_test node(
        scheduler_options{.self = node_id("node1"), .node_tasks_max = 2, .system_tasks_max = 1});
    node.attach(1, 1);
    node.open({}, 1, 1);
    CHECK(ping(node, 1, 2) == started{{1, 1}});
    const auto job = job_id_at(wall_time(2s));

    CHECK(node.take(node.machine.on_attached(system_number(2), node.now)) == started{{2, 1}});
    node.take(
        node.machine.on_returned({job, system_number(1), 1}, outcome::completed, "", node.now));
    node.take(node.machine.remove_systems({system_number(2)}, 2, node.now));

    CHECK(node.running() == 1);
    CHECK(node.machine.in_flight() == 1);
}

TEST_CASE("what takes no points is bounded by itself, and by a ledger that falls behind") {
    node_under_test node(
        scheduler_options{.self = node_id("node1"), .node_tasks_max = 10, .unlimited_max = 2});
    node.attach(1, 3);
    node.take(node.machine.set_ledger_state(task_scheduler::ledger_state::overloaded, node.now));
    CHECK(ping(node, 1, 3).empty());

    CHECK(
        node.take(node.machine.set_ledger_state(task_scheduler::ledger_state::ok, node.now)).size()
        == 2);
    CHECK(node.machine.in_flight() == 2);
}

}  // namespace
}  // namespace muster::rollout
