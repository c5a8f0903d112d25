#include "core/session/agent_tasks.h"

#include <algorithm>
#include <utility>

// What is different for a task of several steps.
namespace muster::session {

// It has its place already, and is reported by whoever runs it, also when nothing is left to run:
// what came of its steps is theirs to tell.
void agent_tasks::resume_chain(entry& entry, gathering& out) {
    auto& stored = entry.kept;
    const bool again = stored.order.may_run_again && stored.starts < options_.starts_max;
    const bool begun = stored.chain.begun;
    const auto ended = stored.chain.ended.size();
    stored.chain = after_restart(
        std::move(stored.chain),
        {.other_boot = stored.boot != boot_, .may_run_again = again, .now = out.at.wall});
    stored.boot = boot_;
    if (!is_over(stored.chain) && !stored.chain.begun) {
        if (begun && stored.chain.ended.size() == ended) ++stored.starts;  // the same step again
        stored.chain.begun = true;
        stored.chain.since = out.at.wall;
    }
    entry.resumed = true;
    entry.at = phase::starting;
    running_.insert(stored.order.name);
    ++places_taken_;
    out.durable.push_back(stored);
}

// What may be begun is on disk before; this is not.
void agent_tasks::fail_resumed(entry& entry, const error& why, gathering& out) {
    auto& chain = entry.kept.chain;
    if (!is_over(chain) && !chain.waits)
        chain = after_step(
            std::move(chain),
            {.outcome = task_outcome::refused, .exit_code = -1, .reason = why.detail()});
    run(entry, out);
}

task_effects agent_tasks::stepped(task_name task, chain_progress to, moment at) {
    const auto it = all_.find(task);
    // One that was given up.
    if (it == all_.end() || it->second.at != phase::running) return {};
    gathering out{.at = at};
    entry& entry = it->second;
    entry.kept.chain = std::move(to);
    entry.marking = true;
    out.durable.push_back(entry.kept);
    return effects_of(std::move(out));
}

void agent_tasks::awaits_restart(task_name task) {
    const auto it = all_.find(task);
    if (it != all_.end()) it->second.parked = true;
}

std::size_t agent_tasks::interruptible() const {
    return static_cast<std::size_t>(std::ranges::count_if(running_, [this](task_name task_name) {
        const auto& all = all_.at(task_name);
        return all.process && !all.parked;
    }));
}

send_held::held agent_tasks::held_of(const entry& entry) const {
    send_held::held held{.task = entry.kept.order.name, .since = entry.kept.since};
    const bool waits = entry.at == phase::waiting || entry.at == phase::accepting;
    if (waits) held.where = strain_.empty() ? "waits for other tasks of the system" : strain_;
    if (!waits && entry.kept.nature == task_nature::chain) held.where = place_of(entry.kept.chain);
    return held;
}

}  // namespace muster::session
