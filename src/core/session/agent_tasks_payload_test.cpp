#include "core/session/agent_tasks_fixture.h"

#include <doctest/doctest.h>

// Payloads that are kept beside the journal until a node has them.
namespace muster::session {
namespace {

const task_result large{.outcome = task_outcome::succeeded, .digest = "d", .payload_stored = true};

void return_large(agent_tasks& machine, task_name name, agent_tasks::moment time) {
    CHECK(only<run_task>(arrive(machine, name, time)).size() == 1);
    CHECK(
        outcome_in(with_stores(machine, machine.on_ended(name, large, time), {}, time))
        == task_outcome::succeeded);
    CHECK(only<discard_payload>(machine.on_reports_acknowledged({name}, time)).empty());
}

TEST_CASE("a payload that nobody asks for is offered again and again, however long it takes") {
    auto machine = attached();
    return_large(machine, uptime, at(0s));

    CHECK(machine.next_deadline() == instant(10min));
    CHECK(outcome_in(machine.expire(at(10min))) == task_outcome::succeeded);
    CHECK(machine.expire(at(19min)).empty());
    CHECK(outcome_in(machine.expire(at(20min))) == task_outcome::succeeded);
    CHECK(outcome_in(machine.expire(at(200h))) == task_outcome::succeeded);

    CHECK(only<discard_payload>(machine.on_payload_delivered(uptime, at(200h))).size() == 1);
    CHECK(only<send_reports>(machine.expire(at(201h))).empty());
    CHECK(!machine.contains(uptime));
}

TEST_CASE("a payload that is being fetched is not offered at the same time") {
    auto machine = attached();
    return_large(machine, uptime, at(0s));

    machine.on_payload_requested(uptime, at(9min));

    CHECK(machine.expire(at(10min)).empty());
    CHECK(outcome_in(machine.expire(at(20min))) == task_outcome::succeeded);
}

TEST_CASE("an agent that was restarted still offers what it owes") {
    journaled_task stored{
        .state = journaled_task::journal_state::acknowledged, .request = order(uptime).request};
    stored.report = {.task = uptime, .result = large, .started = {}, .ended = at(0s).wall};
    agent_tasks machine({});

    CHECK(machine.start({stored}, "boot 1", at(100h)).empty());

    CHECK(outcome_in(machine.on_attached(at(100h))) == task_outcome::succeeded);
    CHECK(outcome_in(machine.expire(at(101h))) == task_outcome::succeeded);
}

TEST_CASE("only so many payloads are owed; the oldest goes, and that is said") {
    auto machine = attached({.undelivered_max = 1});
    return_large(machine, uptime, at(1s));
    CHECK(only<run_task>(arrive(machine, reboot, at(1s))).size() == 1);
    CHECK(!with_stores(machine, machine.on_ended(reboot, large, at(1s)), {}, at(1s)).empty());

    const auto result = machine.on_reports_acknowledged({reboot}, at(2s));

    CHECK(
        only<discard_payload>(result)
        == std::vector{discard_payload{.task = uptime, .undelivered = true}});
    CHECK(!machine.contains(uptime));
    CHECK(machine.contains(reboot));
}

TEST_CASE("what a task wrote that was given up is not left behind") {
    auto machine = attached();
    CHECK(only<run_task>(arrive(machine, uptime, at(0s))).size() == 1);
    for (const auto time : {60s, 70s, 80s})
        CHECK(!with_stores(machine, machine.expire(at(time)), {}, at(time)).empty());

    const auto result = machine.on_ended(uptime, large, at(90s));

    CHECK(result == task_effects{discard_payload{.task = uptime}});
}

}  // namespace
}  // namespace muster::session
