#include "core/session/agent_tasks_fixture.h"

#include <doctest/doctest.h>

// Payloads that are kept beside the journal until a node has them.
namespace muster::session {
namespace {

const task_ending large{.outcome = task_outcome::succeeded, .digest = "d", .payload_kept = true};

void return_large(agent_tasks& machine, task_name name, agent_tasks::moment when) {
    CHECK(only<run_task>(arrive(machine, name, when)).size() == 1);
    CHECK(
        outcome_in(with_stores(machine, machine.ended(name, large, when), {}, when))
        == task_outcome::succeeded);
    CHECK(only<drop_payload>(machine.reports_taken({name}, when)).empty());
}

TEST_CASE("a payload that nobody asks for is offered again and again, however long it takes") {
    auto machine = attached();
    return_large(machine, uptime, at(0s));

    CHECK(machine.next_deadline() == instant(10min));
    CHECK(outcome_in(machine.expire(at(10min))) == task_outcome::succeeded);
    CHECK(machine.expire(at(19min)).empty());
    CHECK(outcome_in(machine.expire(at(20min))) == task_outcome::succeeded);
    CHECK(outcome_in(machine.expire(at(200h))) == task_outcome::succeeded);

    CHECK(only<drop_payload>(machine.payload_taken(uptime, at(200h))).size() == 1);
    CHECK(only<send_reports>(machine.expire(at(201h))).empty());
    CHECK(!machine.knows(uptime));
}

TEST_CASE("a payload that is being fetched is not offered at the same time") {
    auto machine = attached();
    return_large(machine, uptime, at(0s));

    machine.payload_wanted(uptime, at(9min));

    CHECK(machine.expire(at(10min)).empty());
    CHECK(outcome_in(machine.expire(at(20min))) == task_outcome::succeeded);
}

TEST_CASE("an agent that was restarted still offers what it owes") {
    journaled_task stored{.at = journaled_task::stage::taken, .order = order(uptime).order};
    stored.report = {.task = uptime, .how = large, .started = {}, .ended = at(0s).wall};
    agent_tasks machine({});

    CHECK(machine.start({stored}, "boot 1", at(100h)).empty());

    CHECK(outcome_in(machine.attached(at(100h))) == task_outcome::succeeded);
    CHECK(outcome_in(machine.expire(at(101h))) == task_outcome::succeeded);
}

TEST_CASE("only so many payloads are owed; the oldest goes, and that is said") {
    auto machine = attached({.owed_max = 1});
    return_large(machine, uptime, at(1s));
    CHECK(only<run_task>(arrive(machine, reboot, at(1s))).size() == 1);
    CHECK(!with_stores(machine, machine.ended(reboot, large, at(1s)), {}, at(1s)).empty());

    const auto result = machine.reports_taken({reboot}, at(2s));

    CHECK(only<drop_payload>(result) == std::vector{drop_payload{.task = uptime, .owed = true}});
    CHECK(!machine.knows(uptime));
    CHECK(machine.knows(reboot));
}

TEST_CASE("what a task wrote that was given up is not left behind") {
    auto machine = attached();
    CHECK(only<run_task>(arrive(machine, uptime, at(0s))).size() == 1);
    for (const auto when : {60s, 70s, 80s})
        CHECK(!with_stores(machine, machine.expire(at(when)), {}, at(when)).empty());

    const auto result = machine.ended(uptime, large, at(90s));

    CHECK(result == task_effects{drop_payload{.task = uptime}});
}

}  // namespace
}  // namespace muster::session
