#include "core/session/agent_tasks.h"

#include <algorithm>
#include <utility>

// Tasks of several steps.
namespace muster::session {

// Runs a chain again after a start of the agent. A finished chain runs too, because its runner
// builds the report from the results of the steps.
void agent_tasks::resume_chain(entry& entry, effect_batch& out) {
    auto& stored = entry.record;
    const bool may_run_again = stored.request.may_run_again && stored.starts < options_.starts_max;
    const bool was_begun = stored.chain.begun;
    const auto results_before = stored.chain.results.size();
    stored.chain = after_restart(
        std::move(stored.chain),
        {.rebooted = stored.boot != boot_, .may_run_again = may_run_again, .now = out.at.wall});
    stored.boot = boot_;
    if (!is_finished(stored.chain) && !stored.chain.begun) {
        if (was_begun && stored.chain.results.size() == results_before)
            ++stored.starts;  // repeats the step
        stored.chain.begun = true;
        stored.chain.since = out.at.wall;
    }
    entry.resumed = true;
    entry.phase = task_phase::starting;
    running_.insert(stored.request.name);
    ++places_used_;
    out.durable.push_back(stored);
}

// The progress could not be stored, so no further step may start.
void agent_tasks::fail_resumed(entry& entry, const error& cause, effect_batch& out) {
    auto& chain = entry.record.chain;
    if (!is_finished(chain) && !chain.awaits_boot)
        chain = after_step(
            std::move(chain),
            {.outcome = task_outcome::refused, .exit_code = -1, .reason = cause.detail()});
    run(entry, out);
}

task_effects agent_tasks::on_step_ended(task_name task, chain_progress progress, moment at) {
    const auto it = tasks_.find(task);
    // Abandoned.
    if (it == tasks_.end() || it->second.phase != task_phase::running) return {};
    effect_batch out{.at = at};
    entry& entry = it->second;
    entry.record.chain = std::move(progress);
    entry.storing_progress = true;
    out.durable.push_back(entry.record);
    return to_effects(std::move(out));
}

void agent_tasks::await_restart(task_name task) {
    const auto it = tasks_.find(task);
    if (it != tasks_.end()) it->second.awaits_restart = true;
}

std::size_t agent_tasks::interruptible() const {
    return static_cast<std::size_t>(std::ranges::count_if(running_, [this](task_name name) {
        const auto& entry = tasks_.at(name);
        return entry.has_process && !entry.awaits_restart;
    }));
}

send_held_tasks::held_task agent_tasks::to_held_task(const entry& entry) const {
    send_held_tasks::held_task held{.task = entry.record.request.name, .since = entry.record.since};
    const bool is_waiting =
        entry.phase == task_phase::waiting || entry.phase == task_phase::accepting;
    if (is_waiting)
        held.activity = overload_.empty() ? "waiting for other tasks of the system" : overload_;
    if (!is_waiting && entry.record.nature == task_nature::chain)
        held.activity = describe_step(entry.record.chain);
    return held;
}

}  // namespace muster::session
