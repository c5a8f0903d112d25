#include "core/session/chain_progress.h"

#include <algorithm>
#include <utility>

namespace muster::session {

bool is_over(const chain_progress& chain) {
    const bool failed =
        !chain.ended.empty() && chain.ended.back().outcome != task_outcome::succeeded;
    return failed || chain.ended.size() >= chain.steps.size();
}

std::size_t step_of(const chain_progress& chain) {
    return is_over(chain) ? chain.ended.size() : chain.ended.size() + 1;
}

std::string place_of(const chain_progress& chain) {
    return "step " + std::to_string(step_of(chain)) + " of " + std::to_string(chain.steps.size());
}

chain_progress after_step(chain_progress chain, step_ending step_ending) {
    chain.ended.push_back(std::move(step_ending));
    chain.begun = false;
    chain.waits = false;
    chain.since = {};
    return chain;
}

chain_progress after_restart(chain_progress chain, const restart_facts& facts) {
    if (is_over(chain) || !chain.begun) return chain;
    const auto nature = chain.steps[chain.ended.size()];
    // The clock may not be set yet after a boot.
    const auto took = std::max(facts.now - chain.since, std::chrono::microseconds::zero());
    if (nature == task_nature::reboots && facts.other_boot)
        return after_step(std::move(chain), {.outcome = task_outcome::succeeded, .took = took});
    if (nature == task_nature::reboots) {
        chain.waits = true;
        return chain;
    }
    if (nature == task_nature::harmless || facts.may_run_again) {
        chain.begun = false;
        return chain;
    }
    return after_step(
        std::move(chain),
        {.outcome = task_outcome::interrupted,
         .exit_code = -1,
         .reason = "the agent ended while it ran"});
}

}  // namespace muster::session
