#include "core/session/agent_tasks_fixture.h"

#include <doctest/doctest.h>

#include <optional>

// Tasks that must begin within some time of their coming.
namespace muster::session {
namespace {

using stage = journaled_task::journal_state;

agent_tasks::received_task in_window(task_name name, monotonic::duration left) {
    auto result = order(name);
    result.request.start_within = left;
    return result;
}

task_effects arrive_in_window(agent_tasks& machine, task_name name, monotonic::duration left) {
    return with_stores(machine, machine.on_received({in_window(name, left)}, at(0s)), {}, at(0s));
}

journaled_task kept_since_start(monotonic::duration left, stage reached) {
    journaled_task stored{.state = reached, .request = in_window(uptime, left).request};
    stored.since = at(0s).wall;
    return stored;
}

TEST_CASE("a task that waits past its window is not begun, and says that it was not") {
    auto machine = attached({.running_max = 1});
    CHECK(only<run_task>(arrive(machine, reboot, at(0s))).size() == 1);
    CHECK(only<run_task>(arrive_in_window(machine, uptime, 30s)).empty());
    CHECK(machine.next_deadline() == instant(30s));
    CHECK(machine.expire(at(29s)).empty());

    const auto late = with_stores(machine, machine.expire(at(30s)), {}, at(30s));
    const auto place_is_free = end_well(machine, reboot, at(31s));

    CHECK(outcome_in(late) == task_outcome::not_started);
    CHECK(
        only<send_reports>(late)[0].reports[0].result.reason
        == "maintenance window closed before the task started");
    CHECK(only<store_tasks>(late).at(0).durable);
    CHECK(only<run_task>(place_is_free).empty());
}

TEST_CASE("a place that is free the moment the window closes is not taken") {
    auto machine = attached({.running_max = 1});
    CHECK(only<run_task>(arrive(machine, reboot, at(0s))).size() == 1);
    CHECK(only<run_task>(arrive_in_window(machine, uptime, 30s)).empty());

    const auto result = end_well(machine, reboot, at(30s));

    CHECK(only<run_task>(result).empty());
    CHECK(machine.waiting() == 0);
}

TEST_CASE("a task behind one without a window ends when its own time is over") {
    auto machine = attached({.running_max = 1});
    const task_name patient{.job = 3, .attempt = 1};
    CHECK(only<run_task>(arrive(machine, reboot, at(0s))).size() == 1);
    CHECK(only<run_task>(arrive(machine, patient, at(0s))).empty());
    CHECK(only<run_task>(arrive_in_window(machine, uptime, 30s)).empty());

    const auto late = with_stores(machine, machine.expire(at(30s)), {}, at(30s));

    CHECK(outcome_in(late) == task_outcome::not_started);
    CHECK(only<run_task>(end_well(machine, reboot, at(40s))).size() == 1);
}

TEST_CASE("a disk that takes its time does not put a start behind the window") {
    auto machine = attached();
    const auto result = machine.on_received({in_window(uptime, 30s)}, at(0s));
    const auto ticket = only<store_tasks>(result).at(0).ticket;

    const auto stored = machine.on_stored(ticket, {}, at(31s));
    const auto reported = with_stores(machine, stored, {}, at(31s));

    CHECK(only<run_task>(reported).empty());
    CHECK(outcome_in(reported) == task_outcome::not_started);
    CHECK(machine.running() == 0);
}

TEST_CASE("an agent that starts after the window knows that it is over") {
    struct life {
        monotonic::duration down;
        std::size_t runs;
    };
    for (const auto [down, runs] : {life{20s, 1}, life{40s, 0}, life{2h, 0}}) {
        agent_tasks machine({});
        const auto stored = kept_since_start(30s, stage::waiting);

        auto result = machine.start({stored}, "boot 1", at(down));
        result = with_stores(machine, std::move(result), {}, at(down));

        CHECK(only<run_task>(result).size() == runs);
        const auto response = with_stores(machine, machine.on_attached(at(down)), {}, at(down));
        if (runs == 0) CHECK(outcome_in(response) == task_outcome::not_started);
    }
}

TEST_CASE("a clock that was set back while the agent was away opens no window") {
    agent_tasks machine({});
    auto stored = kept_since_start(30s, stage::waiting);
    stored.since += 1h;

    const auto result = with_stores(machine, machine.start({stored}, "boot 1", at(1s)), {}, at(1s));

    CHECK(only<run_task>(result).empty());
    CHECK(
        only<store_tasks>(result).at(0).put.at(0).report.result.outcome
        == task_outcome::not_started);
}

TEST_CASE("a machine that slept through its window does not begin when it wakes") {
    auto machine = attached({.running_max = 1});
    CHECK(only<run_task>(arrive(machine, reboot, at(0s))).size() == 1);
    CHECK(only<run_task>(arrive_in_window(machine, uptime, 30s)).empty());
    agent_tasks::moment woken = at(5s);
    woken.wall += 8h;

    const auto result = end_well(machine, reboot, woken);

    CHECK(only<run_task>(result).empty());
}

TEST_CASE("a task that may be run again is not run again behind its window: it was interrupted") {
    agent_tasks machine({});
    auto stored = kept_since_start(30s, stage::running);
    stored.request.may_run_again = true;
    stored.starts = 1;

    const auto result =
        with_stores(machine, machine.start({stored}, "boot 1", at(40s)), {}, at(40s));

    CHECK(only<run_task>(result).empty());
    CHECK(
        only<store_tasks>(result).at(0).put.at(0).report.result.outcome
        == task_outcome::interrupted);
}

}  // namespace
}  // namespace muster::session
