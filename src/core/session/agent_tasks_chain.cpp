#include "core/session/agent_tasks.h"

#include <algorithm>
#include <utility>

// What is different for a task of several steps.
namespace muster::session {

// It has its place already, and is reported by whoever runs it, also when nothing is left to run:
// what came of its steps is theirs to tell.
void agent_tasks::resume_chain(entry& one, gathering& out) {
    auto& kept = one.kept;
    const bool again = kept.order.may_run_again && kept.starts < how_.starts_max;
    const bool begun = kept.chain.begun;
    const auto ended = kept.chain.ended.size();
    kept.chain = after_restart(
        std::move(kept.chain),
        {.other_boot = kept.boot != boot_, .may_run_again = again, .now = out.at.wall});
    kept.boot = boot_;
    if (!is_over(kept.chain) && !kept.chain.begun) {
        if (begun && kept.chain.ended.size() == ended) ++kept.starts;  // the same step again
        kept.chain.begun = true;
        kept.chain.since = out.at.wall;
    }
    one.resumed = true;
    one.at = phase::starting;
    running_.insert(kept.order.name);
    ++places_taken_;
    out.durable.push_back(kept);
}

// What may be begun is on disk before; this is not.
void agent_tasks::fail_resumed(entry& one, const error& why, gathering& out) {
    auto& chain = one.kept.chain;
    if (!is_over(chain) && !chain.waits)
        chain = after_step(
            std::move(chain),
            {.outcome = task_outcome::refused, .exit_code = -1, .reason = why.detail()});
    run(one, out);
}

task_effects agent_tasks::stepped(task_name task, chain_progress to, moment at) {
    const auto found = all_.find(task);
    // One that was given up.
    if (found == all_.end() || found->second.at != phase::running) return {};
    gathering out{.at = at};
    entry& one = found->second;
    one.kept.chain = std::move(to);
    one.marking = true;
    out.durable.push_back(one.kept);
    return effects_of(std::move(out));
}

void agent_tasks::awaits_restart(task_name task) {
    const auto found = all_.find(task);
    if (found != all_.end()) found->second.parked = true;
}

std::size_t agent_tasks::interruptible() const {
    return static_cast<std::size_t>(std::ranges::count_if(running_, [this](task_name each) {
        const auto& one = all_.at(each);
        return one.process && !one.parked;
    }));
}

send_held::held agent_tasks::held_of(const entry& one) const {
    send_held::held said{.task = one.kept.order.name, .since = one.kept.since};
    const bool waits = one.at == phase::waiting || one.at == phase::accepting;
    if (waits) said.where = strain_.empty() ? "waits for other tasks of the system" : strain_;
    if (!waits && one.kept.nature == task_nature::chain) said.where = place_of(one.kept.chain);
    return said;
}

}  // namespace muster::session
