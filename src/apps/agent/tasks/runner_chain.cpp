// Chains: handling of a step's result and the start of the next step.
#include "apps/agent/tasks/functions.h"
#include "apps/agent/tasks/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::agent {

using session::task_name;
using session::task_outcome;
using session::task_result;

namespace {

constexpr std::size_t output_kept_min = 512;

task_result cancelled_result() {
    return {.outcome = task_outcome::cancelled, .reason = "chain cancelled"};
}

}  // namespace

void runner::run_chain(const session::run_task& run_task) {
    const auto name = run_task.request.name;
    auto steps = parse_chain(run_task.request);
    if (!steps)
        return conclude(
            name,
            {.outcome = task_outcome::refused, .exit_code = -1, .reason = steps.error().detail()},
            {});
    chains_.insert_or_assign(
        name,
        chain{.steps = *std::move(steps), .progress = run_task.chain, .step_began = clock_.now()});
    if (session::is_finished(run_task.chain)) return finish_chain(name);
    if (run_task.chain.awaits_boot) return wait_for_boot(name);
    run_step(name);
}

void runner::run_step(task_name task) {
    auto& chain = chains_.at(task);
    const auto& step = chain.steps.at(session::current_step(chain.progress) - 1);
    chain.step_began = clock_.now();
    listener_.output_written(
        task, fmt::format("== {}: {}\n", session::describe_step(chain.progress), step.function));
    run_function(
        {.name = task,
         .function = step.function,
         .arguments = step.arguments,
         .timeout = step.timeout});
}

void runner::end_step(task_name task, task_result result, std::string_view output) {
    auto& chain = chains_.at(task);
    const auto function_name =
        parse_function(chain.steps.at(chain.progress.results.size()).function);
    // The limit applies to what programs write; quoting in JSON may exceed it once.
    const bool fits = remaining_output(chain.progress) > 0 || output.size() <= output_kept_min;
    // A last step that succeeded despite a cancellation counts as succeeded.
    const bool is_last = chain.progress.results.size() + 1 == chain.steps.size();
    if (chain.ending && !is_last && result.outcome == task_outcome::succeeded) {
        result.outcome = task_outcome::cancelled;
        result.reason = cancelled_result().reason;
    }
    const bool succeeded = result.outcome == task_outcome::succeeded;
    chain.progress = session::after_step(
        std::move(chain.progress),
        {.outcome = result.outcome,
         .exit_code = result.exit_code,
         .reason = std::move(result.reason),
         .output = fits ? std::string(output) : std::string(),
         .truncated = result.truncated || !fits,
         .duration =
             std::chrono::floor<std::chrono::microseconds>(clock_.now() - chain.step_began)});
    chain.waits_for_boot = false;
    if (session::is_finished(chain.progress)) return finish_chain(task);
    // After an update the new program runs the rest.
    chain.waits_for_restart = succeeded && function_name == function::update_agent;
    chain.progress.begun = !chain.waits_for_restart;
    if (chain.progress.begun) chain.progress.since = clock_.wall();
    listener_.stepped(task, chain.progress);
}

void runner::continue_chain(const session::continue_chain& continue_chain) {
    const auto it = chains_.find(continue_chain.task);
    if (it == chains_.end()) return;
    if (!continue_chain.failure.empty())
        return end_step(
            continue_chain.task,
            {.outcome = task_outcome::refused, .exit_code = -1, .reason = continue_chain.failure},
            {});
    if (it->second.ending) return end_step(continue_chain.task, cancelled_result(), {});
    if (it->second.waits_for_restart) return listener_.awaits_restart(continue_chain.task);
    run_step(continue_chain.task);
}

// Ends a chain that is between two steps or waits for a boot. False if a program runs.
bool runner::end_between_steps(task_name task) {
    const auto it = chains_.find(task);
    if (it == chains_.end()) return false;
    it->second.ending = true;
    if (!it->second.waits_for_boot && !it->second.waits_for_restart) return false;
    end_step(task, cancelled_result(), {});
    return true;
}

void runner::wait_for_boot(task_name task) {
    auto& chain = chains_.at(task);
    chain.waits_for_boot = true;
    const auto& step = chain.steps.at(session::current_step(chain.progress) - 1);
    // The wall clock may be wrong after a boot, so the elapsed time is clamped.
    const auto elapsed = std::clamp<monotonic::duration>(
        clock_.wall() - chain.progress.since, monotonic::duration::zero(), step.timeout);
    tasks_.spawn(
        fmt::format("boot {}-{}", task.job, task.attempt),
        time_out_boot(task, clock_.now() + step.timeout - elapsed));
}

boost::asio::awaitable<void> runner::time_out_boot(task_name task, instant deadline) {
    const auto waited = co_await clock_.sleep_until(deadline);
    if (!waited) co_return;
    const auto it = chains_.find(task);
    if (it == chains_.end() || !it->second.waits_for_boot) co_return;
    end_step(
        task,
        {.outcome = task_outcome::timed_out,
         .exit_code = -1,
         .reason = "machine did not reboot in time"},
        {});
}

void runner::finish_chain(task_name task) {
    const auto entry = chains_.extract(task);
    const auto& chain = entry.mapped();
    conclude(
        task,
        chain_result(chain.steps, chain.progress),
        chain_payload(chain.steps, chain.progress));
}

}  // namespace muster::agent
