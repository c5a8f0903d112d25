#pragma once

#include "core/session/agent_tasks.h"

#include <doctest/doctest.h>

#include <vector>

// An agent's tasks, for tests.
namespace muster::session {

using namespace std::chrono_literals;

inline constexpr task_name uptime{.job = 1, .attempt = 1};
inline constexpr task_name reboot{.job = 2, .attempt = 1};

inline agent_tasks::moment at(monotonic::duration span) {
    return {
        .now = instant(span),
        .wall = wall_time(1000h + std::chrono::floor<std::chrono::microseconds>(span))};
}

inline agent_tasks::received_task order(
    task_name name, task_nature nature = task_nature::ordinary) {
    return {
        .request = {.name = name, .function = "cmd.run", .arguments = "{}", .timeout = 60s},
        .nature = nature};
}

template <class Effect>
std::vector<Effect> only(const task_effects& candidates) {
    std::vector<Effect> effects;
    for (const auto& candidate : candidates) {
        if (const auto* match = std::get_if<Effect>(&candidate)) effects.push_back(*match);
    }
    return effects;
}

// Stores whatever is to be stored, and gives what follows beside it.
inline task_effects with_stores(
    agent_tasks& machine,
    task_effects created,
    const result<void>& outcome,
    agent_tasks::moment time) {
    task_effects candidates;
    for (std::size_t next = 0; next < created.size(); ++next) {
        candidates.push_back(created[next]);
        const auto* stored = std::get_if<store_tasks>(&created[next]);
        if (stored == nullptr || !stored->durable) continue;
        const auto more = machine.on_stored(stored->ticket, outcome, time);
        created.insert(created.end(), more.begin(), more.end());
    }
    return candidates;
}

inline agent_tasks attached(const agent_tasks_options& options = {}) {
    agent_tasks machine(options);
    CHECK(machine.start({}, "boot 1", at(0s)).empty());
    CHECK(
        only<send_held_tasks>(machine.on_attached(at(0s)))
        == std::vector{send_held_tasks{.complete = true}});
    return machine;
}

inline task_effects arrive(agent_tasks& machine, task_name name, agent_tasks::moment time) {
    return with_stores(machine, machine.on_received({order(name)}, time), {}, time);
}

inline task_effects end_well(agent_tasks& machine, task_name name, agent_tasks::moment time) {
    const task_result well{.outcome = task_outcome::succeeded};
    return with_stores(machine, machine.on_ended(name, well, time), {}, time);
}

inline task_outcome outcome_in(const task_effects& task_effects) {
    const auto sent = only<send_reports>(task_effects);
    REQUIRE(sent.size() == 1);
    REQUIRE(sent[0].reports.size() == 1);
    return sent[0].reports[0].result.outcome;
}

}  // namespace muster::session
