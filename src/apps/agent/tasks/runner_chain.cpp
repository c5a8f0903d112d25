// Chains: what one step comes to, and what is next.
#include "apps/agent/tasks/functions.h"
#include "apps/agent/tasks/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::agent {

using session::task_ending;
using session::task_name;
using session::task_outcome;

namespace {

constexpr std::size_t output_always_kept = 512;

task_ending unwanted() {
    return {.outcome = task_outcome::cancelled, .reason = "no further step was wanted"};
}

}  // namespace

void runner::run_chain(const session::run_task& run_task) {
    const auto name = run_task.order.name;
    auto steps = parse_chain(run_task.order);
    if (!steps)
        return conclude(
            name,
            {.outcome = task_outcome::refused, .exit_code = -1, .reason = steps.error().detail()},
            {});
    chains_.insert_or_assign(
        name,
        chain{.steps = *std::move(steps), .progress = run_task.chain, .step_began = clock_.now()});
    if (session::is_over(run_task.chain)) return finish_chain(name);
    if (run_task.chain.waits) return wait_for_boot(name);
    run_step(name);
}

void runner::run_step(task_name task) {
    auto& chains = chains_.at(task);
    const auto& step = chains.steps.at(session::step_of(chains.progress) - 1);
    chains.step_began = clock_.now();
    listener_.wrote(
        task, fmt::format("== {}: {}\n", session::place_of(chains.progress), step.function));
    run_function(
        {.name = task,
         .function = step.function,
         .arguments = step.arguments,
         .timeout = step.timeout});
}

void runner::end_step(task_name task, task_ending task_ending, std::string_view output) {
    auto& chains = chains_.at(task);
    const auto function_run =
        parse_function(chains.steps.at(chains.progress.ended.size()).function);
    // A program writes no more than what is left; how that is quoted comes on top, once.
    const bool fits = output_left(chains.progress) > 0 || output.size() <= output_always_kept;
    // One that was told to end and ended well all the same has done its part.
    const bool last = chains.progress.ended.size() + 1 == chains.steps.size();
    if (chains.ending && !last && task_ending.outcome == task_outcome::succeeded) {
        task_ending.outcome = task_outcome::cancelled;
        task_ending.reason = unwanted().reason;
    }
    const bool well = task_ending.outcome == task_outcome::succeeded;
    chains.progress = session::after_step(
        std::move(chains.progress),
        {.outcome = task_ending.outcome,
         .exit_code = task_ending.exit_code,
         .reason = std::move(task_ending.reason),
         .output = fits ? std::string(output) : std::string(),
         .truncated = task_ending.truncated || !fits,
         .took = std::chrono::floor<std::chrono::microseconds>(clock_.now() - chains.step_began)});
    chains.waits = false;
    if (session::is_over(chains.progress)) return finish_chain(task);
    // After an update the rest is for the new program to run.
    chains.restarts = well && function_run == function::update_agent;
    chains.progress.begun = !chains.restarts;
    if (chains.progress.begun) chains.progress.since = clock_.wall();
    listener_.stepped(task, chains.progress);
}

void runner::continue_chain(const session::continue_chain& continue_chain) {
    const auto it = chains_.find(continue_chain.task);
    if (it == chains_.end()) return;
    if (!continue_chain.failure.empty())
        return end_step(
            continue_chain.task,
            {.outcome = task_outcome::refused, .exit_code = -1, .reason = continue_chain.failure},
            {});
    if (it->second.ending) return end_step(continue_chain.task, unwanted(), {});
    if (it->second.restarts) return listener_.awaits_restart(continue_chain.task);
    run_step(continue_chain.task);
}

// Ends a chain that is between its steps, or waits for a new boot. False: a program runs.
bool runner::end_between_steps(task_name task) {
    const auto it = chains_.find(task);
    if (it == chains_.end()) return false;
    it->second.ending = true;
    if (!it->second.waits && !it->second.restarts) return false;
    end_step(task, unwanted(), {});
    return true;
}

void runner::wait_for_boot(task_name task) {
    auto& chains = chains_.at(task);
    chains.waits = true;
    const auto& step = chains.steps.at(session::step_of(chains.progress) - 1);
    // After a boot the clock may be anything, until somebody has set it.
    const auto passed = std::clamp<monotonic::duration>(
        clock_.wall() - chains.progress.since, monotonic::duration::zero(), step.timeout);
    tasks_.spawn(
        fmt::format("boot {}-{}", task.job, task.attempt),
        give_up_boot(task, clock_.now() + step.timeout - passed));
}

boost::asio::awaitable<void> runner::give_up_boot(task_name task, instant when) {
    const auto slept = co_await clock_.sleep_until(when);
    if (!slept) co_return;
    const auto it = chains_.find(task);
    if (it == chains_.end() || !it->second.waits) co_return;
    end_step(
        task,
        {.outcome = task_outcome::timed_out,
         .exit_code = -1,
         .reason = "the machine was not started anew in time"},
        {});
}

void runner::finish_chain(task_name task) {
    const auto done = chains_.extract(task);
    const auto& one = done.mapped();
    conclude(task, chain_ending(one.steps, one.progress), chain_payload(one.steps, one.progress));
}

}  // namespace muster::agent
