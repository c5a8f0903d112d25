#include "core/session/chain_progress.h"

#include "core/session/agent_tasks.h"

#include <doctest/doctest.h>

namespace muster::session {
namespace {

using namespace std::chrono_literals;
using enum task_nature;

chain_progress patching() {
    return {
        .steps = {ordinary, reboots, harmless},
        .results = {{.outcome = task_outcome::succeeded}},
        .begun = true,
        .since = wall_time(100s)};
}

TEST_CASE("a reboot is done on another boot, and waited for on the same one") {
    const auto rebooted = after_restart(patching(), {.rebooted = true, .now = wall_time(160s)});
    const auto same = after_restart(patching(), {.rebooted = false, .now = wall_time(160s)});

    REQUIRE(rebooted.results.size() == 2);
    CHECK(rebooted.results[1].outcome == task_outcome::succeeded);
    CHECK(rebooted.results[1].duration == 60s);
    CHECK_FALSE(rebooted.begun);
    CHECK(describe_step(rebooted) == "step 3 of 3");
    CHECK(same.awaits_boot);
    CHECK(same.results.size() == 1);
}

TEST_CASE("a clock that is not set yet after a boot makes no step end before it began") {
    const auto rebooted = after_restart(patching(), {.rebooted = true, .now = wall_time(10s)});

    CHECK(rebooted.results.at(1).duration == 0s);
}

TEST_CASE("a step that may have been begun is interrupted, unless it may be run again") {
    auto first = patching();
    first.results.clear();

    const auto interrupted = after_restart(first, {.now = wall_time(160s)});
    const auto repeated = after_restart(first, {.may_run_again = true, .now = wall_time(160s)});

    CHECK(is_finished(interrupted));
    CHECK(describe_step(interrupted) == "step 1 of 3");
    CHECK(interrupted.results.back().outcome == task_outcome::interrupted);
    CHECK_FALSE(repeated.begun);
    CHECK(repeated.results.empty());
    first.begun = false;
    CHECK(after_restart(first, {}) == first);
}

TEST_CASE("what changes nothing is run again, and what is over stays over") {
    auto last = patching();
    last.results.push_back({.outcome = task_outcome::succeeded});
    CHECK_FALSE(after_restart(last, {.rebooted = true}).begun);

    last.results.push_back({.outcome = task_outcome::failed});

    CHECK(is_finished(last));
    CHECK(after_restart(last, {.rebooted = true, .may_run_again = true}) == last);
}

agent_tasks::moment at(monotonic::duration span) {
    return {
        .now = instant(span),
        .wall = wall_time(1000h + std::chrono::floor<std::chrono::microseconds>(span))};
}

constexpr task_name chained{.job = 7, .attempt = 1};

agent_tasks::received_task chain_order(bool may_run_again = false) {
    return {
        .request =
            {.name = chained,
             .function = "chain.run",
             .arguments = "{}",
             .timeout = 1h,
             .may_run_again = may_run_again},
        .nature = task_nature::chain,
        .steps = {ordinary, reboots, ordinary}};
}

// The last thing of a kind that was stored or is to be done.
template <class Effect>
std::optional<Effect> last(const task_effects& effects) {
    std::optional<Effect> effect;
    for (const auto& candidate : effects) {
        if (const auto* match = std::get_if<Effect>(&candidate)) effect = *match;
    }
    return effect;
}

struct disk {
    journaled_task kept;
    result<void> takes = {};

    // Stores what is to be stored and gives what follows.
    task_effects with(
        agent_tasks& machine, const task_effects& task_effects, agent_tasks::moment when) {
        const auto stored = last<store_tasks>(task_effects);
        REQUIRE(stored.has_value());
        REQUIRE(stored->durable);
        if (takes) kept = stored->put.at(0);
        return machine.on_stored(stored->ticket, takes, when);
    }
};

TEST_CASE("the next step of a chain is begun after the disk has how far it came") {
    agent_tasks machine({});
    disk fixture;
    CHECK(machine.start({}, "boot 1", at(0s)).empty());
    const auto begun = fixture.with(machine, machine.on_received({chain_order()}, at(1s)), at(1s));
    REQUIRE(last<run_task>(begun).has_value());
    auto progress = last<run_task>(begun)->chain;
    CHECK(progress.begun);
    progress = after_step(progress, {.outcome = task_outcome::succeeded});
    progress.begun = true;

    const auto marked = machine.on_step_ended(chained, progress, at(2s));
    CHECK_FALSE(last<continue_chain>(marked).has_value());
    const auto effects = fixture.with(machine, marked, at(2s));

    CHECK(fixture.kept.chain == progress);
    CHECK(last<continue_chain>(effects) == continue_chain{.task = chained, .failure = ""});
    fixture.takes = fail(errc::unavailable, "the disk is full");
    const auto refused =
        fixture.with(machine, machine.on_step_ended(chained, progress, at(3s)), at(3s));
    CHECK(last<continue_chain>(refused)->failure == "the disk is full");
}

TEST_CASE("a chain goes on after a reboot, within the time it had from its beginning") {
    agent_tasks before({});
    disk fixture;
    CHECK(before.start({}, "boot 1", at(0s)).empty());
    const auto begun = fixture.with(before, before.on_received({chain_order()}, at(0s)), at(0s));
    auto progress = after_step(last<run_task>(begun)->chain, {.outcome = task_outcome::succeeded});
    progress.begun = true;
    const auto marked =
        fixture.with(before, before.on_step_ended(chained, progress, at(10min)), at(10min));
    CHECK(last<continue_chain>(marked).has_value());

    agent_tasks after({});
    const auto resumed =
        fixture.with(after, after.start({fixture.kept}, "boot 2", at(30min)), at(30min));

    const auto run = last<run_task>(resumed);
    REQUIRE(run.has_value());
    CHECK(run->chain.results.size() == 2);
    CHECK(run->chain.begun);
    CHECK(run->request.arguments == "{}");
    CHECK(after.next_deadline() == instant(1h));
    CHECK(fixture.kept.chain == run->chain);
    CHECK(fixture.kept.starts == 1);
}

TEST_CASE("a chain that was killed in a step is told to whoever reports it, and not begun again") {
    agent_tasks before({});
    disk fixture;
    CHECK(before.start({}, "boot 1", at(0s)).empty());
    CHECK_FALSE(fixture.with(before, before.on_received({chain_order()}, at(0s)), at(0s)).empty());

    agent_tasks after({});
    const auto resumed = fixture.with(after, after.start({fixture.kept}, "boot 1", at(1s)), at(1s));

    REQUIRE(last<run_task>(resumed).has_value());
    CHECK(is_finished(last<run_task>(resumed)->chain));
}

TEST_CASE("a chain that may be run again is so a few times, from the step it was in") {
    agent_tasks first({.starts_max = 2});
    disk fixture;
    CHECK(first.start({}, "boot 1", at(0s)).empty());
    CHECK_FALSE(
        fixture.with(first, first.on_received({chain_order(true)}, at(0s)), at(0s)).empty());
    agent_tasks second({.starts_max = 2});

    const auto repeated =
        fixture.with(second, second.start({fixture.kept}, "boot 1", at(1s)), at(1s));
    CHECK_FALSE(is_finished(last<run_task>(repeated)->chain));
    agent_tasks third({.starts_max = 2});
    const auto enough = fixture.with(third, third.start({fixture.kept}, "boot 1", at(2s)), at(2s));

    CHECK(is_finished(last<run_task>(enough)->chain));
}

TEST_CASE("a chain that is cancelled says in which step it was") {
    agent_tasks machine({});
    disk fixture;
    CHECK(machine.start({}, "boot 1", at(0s)).empty());
    CHECK_FALSE(
        fixture.with(machine, machine.on_received({chain_order()}, at(0s)), at(0s)).empty());
    CHECK(last<end_task>(machine.on_signal(chained, task_signal::cancel, at(1s))).has_value());

    const auto ended = machine.on_ended(chained, {.outcome = task_outcome::failed}, at(2s));

    const auto stored = last<store_tasks>(ended);
    REQUIRE(stored.has_value());
    const auto& report = stored->put.at(0).report;
    CHECK(report.result.outcome == task_outcome::cancelled);
    CHECK(report.result.reason == "cancelled while running, step 1 of 3");
    CHECK(stored->put.at(0).chain == chain_progress());
}

}  // namespace
}  // namespace muster::session
