#include "core/session/chain_progress.h"

#include <algorithm>
#include <utility>

namespace muster::session {

bool is_finished(const chain_progress& chain) {
    const bool failed =
        !chain.results.empty() && chain.results.back().outcome != task_outcome::succeeded;
    return failed || chain.results.size() >= chain.steps.size();
}

std::size_t current_step(const chain_progress& chain) {
    return is_finished(chain) ? chain.results.size() : chain.results.size() + 1;
}

std::string describe_step(const chain_progress& chain) {
    return "step " + std::to_string(current_step(chain)) + " of "
           + std::to_string(chain.steps.size());
}

chain_progress after_step(chain_progress chain, step_result result) {
    chain.results.push_back(std::move(result));
    chain.begun = false;
    chain.awaits_boot = false;
    chain.since = {};
    return chain;
}

chain_progress after_restart(chain_progress chain, const restart_facts& facts) {
    if (is_finished(chain) || !chain.begun) return chain;
    const auto nature = chain.steps[chain.results.size()];
    // The clock may not be set yet after a boot.
    const auto duration = std::max(facts.now - chain.since, std::chrono::microseconds::zero());
    if (nature == task_nature::reboots && facts.rebooted)
        return after_step(
            std::move(chain), {.outcome = task_outcome::succeeded, .duration = duration});
    if (nature == task_nature::reboots) {
        chain.awaits_boot = true;
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
         .reason = "the agent stopped while the step was running"});
}

}  // namespace muster::session
