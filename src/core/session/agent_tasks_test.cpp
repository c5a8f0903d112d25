#include "core/session/agent_tasks_fixture.h"

#include <doctest/doctest.h>

namespace muster::session {
namespace {

using stage = journaled_task::journal_state;

TEST_CASE("a task is run after it is on disk, and not before") {
    auto machine = attached();

    const auto first = machine.on_received({order(uptime)}, at(1s));

    const auto stored = only<store_tasks>(first);
    REQUIRE(stored.size() == 1);
    CHECK(stored[0].durable);
    CHECK(stored[0].put.at(0).state == stage::running);
    CHECK(first.size() == 1);
    const auto effects = machine.on_stored(stored[0].ticket, {}, at(1s));
    CHECK(only<run_task>(effects).size() == 1);
    CHECK(only<send_held_tasks>(effects).size() == 1);
}

TEST_CASE("a task that the disk does not take is refused and not run") {
    auto machine = attached();
    const result<void> full = fail(errc::unavailable, "no space left");

    const auto result =
        with_stores(machine, machine.on_received({order(uptime)}, at(1s)), full, at(1s));

    CHECK(only<run_task>(result).empty());
    CHECK(outcome_in(result) == task_outcome::refused);
    CHECK(only<send_reports>(result)[0].reports[0].result.reason == "no space left");
}

TEST_CASE("tasks that came together are stored as one") {
    auto machine = attached();

    const auto result = machine.on_received(
        {order(uptime), order({.job = 3, .attempt = 1}), order({.job = 4, .attempt = 1})}, at(1s));

    REQUIRE(only<store_tasks>(result).size() == 1);
    CHECK(only<store_tasks>(result)[0].put.size() == 3);
}

TEST_CASE("more than may run wait, and more than may wait are refused") {
    auto machine = attached({.running_max = 1, .waiting_max = 1});
    const task_name second{.job = 2, .attempt = 1};
    const task_name third{.job = 3, .attempt = 1};
    CHECK(only<run_task>(arrive(machine, uptime, at(1s))).size() == 1);
    CHECK(only<run_task>(arrive(machine, second, at(1s))).empty());

    const auto refused = arrive(machine, third, at(1s));
    const auto ended = with_stores(
        machine,
        machine.on_ended(uptime, {.outcome = task_outcome::succeeded}, at(2s)),
        {},
        at(2s));

    CHECK(outcome_in(refused) == task_outcome::refused);
    REQUIRE(only<run_task>(ended).size() == 1);
    CHECK(only<run_task>(ended)[0].request.name == second);
}

TEST_CASE("a harmless task has a place at once and is not stored before") {
    auto machine = attached({.running_max = 1});
    CHECK(only<run_task>(arrive(machine, uptime, at(1s))).size() == 1);

    const auto result = machine.on_received({order(reboot, task_nature::harmless)}, at(1s));

    CHECK(result.size() == 1);
    CHECK(only<run_task>(result).size() == 1);
}

TEST_CASE("a timeout asks the task to end, then kills it, then gives it up") {
    auto machine = attached();
    CHECK(only<run_task>(arrive(machine, uptime, at(0s))).size() == 1);
    REQUIRE(machine.next_deadline() == instant(60s));

    CHECK(machine.expire(at(60s)) == task_effects{end_task{uptime, end_kind::term}});
    CHECK(machine.expire(at(70s)) == task_effects{end_task{uptime, end_kind::kill}});
    const auto given_up = with_stores(machine, machine.expire(at(80s)), {}, at(80s));

    CHECK(outcome_in(given_up) == task_outcome::timed_out);
    CHECK(machine.on_ended(uptime, {.outcome = task_outcome::failed}, at(81s)).empty());
}

TEST_CASE("a report is said again after a pause until it is taken, and then remembered") {
    auto machine = attached();
    CHECK(only<run_task>(arrive(machine, uptime, at(0s))).size() == 1);
    const task_result well{.outcome = task_outcome::succeeded, .inline_payload = "true"};
    const auto message = with_stores(machine, machine.on_ended(uptime, well, at(1s)), {}, at(1s));
    CHECK(outcome_in(message) == task_outcome::succeeded);

    CHECK(outcome_in(machine.expire(at(31s))) == task_outcome::succeeded);
    const auto reserved = machine.on_reports_acknowledged({uptime}, at(32s));
    const auto late_copy = arrive(machine, uptime, at(40s));

    REQUIRE(only<store_tasks>(reserved).size() == 1);
    CHECK(only<store_tasks>(reserved)[0].put.at(0).state == stage::acknowledged);
    CHECK(only<store_tasks>(reserved)[0].put.at(0).report.result.inline_payload.empty());
    CHECK(outcome_in(late_copy) == task_outcome::succeeded);
    CHECK(only<run_task>(late_copy).empty());
    CHECK(machine.unacknowledged() == 0);
    const auto forgotten = machine.expire(at(60h));
    REQUIRE(only<store_tasks>(forgotten).size() == 1);
    CHECK(only<store_tasks>(forgotten)[0].erased == std::vector{uptime});
}

TEST_CASE("only so many are remembered; the oldest go") {
    auto machine = attached({.remembered_max = 1});
    for (const auto name : {uptime, reboot}) {
        CHECK(only<run_task>(arrive(machine, name, at(1s))).size() == 1);
        CHECK(!end_well(machine, name, at(1s)).empty());
    }

    CHECK(only<store_tasks>(machine.on_reports_acknowledged({uptime, reboot}, at(2s))).size() == 1);

    CHECK(!machine.contains(uptime));
    CHECK(machine.contains(reboot));
}

TEST_CASE("a reboot ends well when the machine has another boot, and in time otherwise") {
    const auto begun = [] {
        journaled_task journaled_task{.state = stage::running, .request = order(reboot).request};
        journaled_task.nature = task_nature::reboots;
        journaled_task.since = at(0s).wall;
        journaled_task.report.started = at(0s).wall;
        journaled_task.boot = "boot 1";
        return journaled_task;
    }();

    agent_tasks anew({});
    const auto result = anew.start({begun}, "boot 2", at(20s));
    agent_tasks same({});
    CHECK(same.start({begun}, "boot 1", at(20s)).empty());

    REQUIRE(only<store_tasks>(result).size() == 1);
    CHECK(only<store_tasks>(result)[0].put.at(0).report.result.outcome == task_outcome::succeeded);
    CHECK(same.next_deadline() == instant(60s));
    const auto late = same.expire(at(60s));
    REQUIRE(only<store_tasks>(late).size() == 1);
    CHECK(only<store_tasks>(late)[0].put.at(0).report.result.outcome == task_outcome::timed_out);
}

TEST_CASE("a busy machine begins nothing, and what waits too long is refused with the reason") {
    auto machine = attached({.wait_max = 10min});
    CHECK(machine.set_overload("the load is 9", at(0s)).empty());
    CHECK(only<run_task>(arrive(machine, uptime, at(1s))).empty());
    CHECK(only<run_task>(arrive(machine, reboot, at(5min))).empty());

    const auto refused = with_stores(machine, machine.expire(at(11min)), {}, at(11min));
    const auto begun = with_stores(machine, machine.set_overload("", at(12min)), {}, at(12min));

    CHECK(outcome_in(refused) == task_outcome::refused);
    CHECK(
        only<send_reports>(refused)[0].reports[0].result.reason
        == "not started in time: the load is 9");
    CHECK(only<run_task>(begun).size() == 1);
}

TEST_CASE("a task that nobody knows is said to be unknown") {
    auto machine = attached();

    const auto result = machine.on_signal(uptime, task_signal::cancel, at(1s));

    REQUIRE(only<send_held_tasks>(result).size() == 1);
    CHECK(only<send_held_tasks>(result)[0].tasks.at(0).unknown);
}

}  // namespace
}  // namespace muster::session
