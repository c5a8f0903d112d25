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

void runner::run_chain(const session::run_task& what) {
    const auto name = what.order.name;
    auto steps = parse_chain(what.order);
    if (!steps)
        return conclude(
            name,
            {.outcome = task_outcome::refused, .exit_code = -1, .reason = steps.error().detail()},
            {});
    chains_.insert_or_assign(
        name, chain{.steps = *std::move(steps), .progress = what.chain, .step_began = time_.now()});
    if (session::is_over(what.chain)) return finish_chain(name);
    if (what.chain.waits) return wait_for_boot(name);
    run_step(name);
}

void runner::run_step(task_name task) {
    auto& one = chains_.at(task);
    const auto& step = one.steps.at(session::step_of(one.progress) - 1);
    one.step_began = time_.now();
    tell_.wrote(task, fmt::format("== {}: {}\n", session::place_of(one.progress), step.function));
    run_function(
        {.name = task,
         .function = step.function,
         .arguments = step.arguments,
         .timeout = step.timeout});
}

void runner::end_step(task_name task, task_ending how, std::string_view output) {
    auto& one = chains_.at(task);
    const auto function_run = parse_function(one.steps.at(one.progress.ended.size()).function);
    // A program writes no more than what is left; how that is quoted comes on top, once.
    const bool fits = output_left(one.progress) > 0 || output.size() <= output_always_kept;
    // One that was told to end and ended well all the same has done its part.
    const bool last = one.progress.ended.size() + 1 == one.steps.size();
    if (one.ending && !last && how.outcome == task_outcome::succeeded) {
        how.outcome = task_outcome::cancelled;
        how.reason = unwanted().reason;
    }
    const bool well = how.outcome == task_outcome::succeeded;
    one.progress = session::after_step(
        std::move(one.progress),
        {.outcome = how.outcome,
         .exit_code = how.exit_code,
         .reason = std::move(how.reason),
         .output = fits ? std::string(output) : std::string(),
         .truncated = how.truncated || !fits,
         .took = std::chrono::floor<std::chrono::microseconds>(time_.now() - one.step_began)});
    one.waits = false;
    if (session::is_over(one.progress)) return finish_chain(task);
    // After an update the rest is for the new program to run.
    one.restarts = well && function_run == function::update_agent;
    one.progress.begun = !one.restarts;
    if (one.progress.begun) one.progress.since = time_.wall();
    tell_.stepped(task, one.progress);
}

void runner::go_on(const session::go_on& what) {
    const auto found = chains_.find(what.task);
    if (found == chains_.end()) return;
    if (!what.failure.empty())
        return end_step(
            what.task,
            {.outcome = task_outcome::refused, .exit_code = -1, .reason = what.failure},
            {});
    if (found->second.ending) return end_step(what.task, unwanted(), {});
    if (found->second.restarts) return tell_.awaits_restart(what.task);
    run_step(what.task);
}

// Ends a chain that is between its steps, or waits for a new boot. False: a program runs.
bool runner::end_between_steps(task_name task) {
    const auto found = chains_.find(task);
    if (found == chains_.end()) return false;
    found->second.ending = true;
    if (!found->second.waits && !found->second.restarts) return false;
    end_step(task, unwanted(), {});
    return true;
}

void runner::wait_for_boot(task_name task) {
    auto& one = chains_.at(task);
    one.waits = true;
    const auto& step = one.steps.at(session::step_of(one.progress) - 1);
    // After a boot the clock may be anything, until somebody has set it.
    const auto passed = std::clamp<monotonic::duration>(
        time_.wall() - one.progress.since, monotonic::duration::zero(), step.timeout);
    tasks_.spawn(
        fmt::format("boot {}-{}", task.job, task.attempt),
        give_up_boot(task, time_.now() + step.timeout - passed));
}

boost::asio::awaitable<void> runner::give_up_boot(task_name task, instant when) {
    const auto slept = co_await time_.sleep_until(when);
    if (!slept) co_return;
    const auto found = chains_.find(task);
    if (found == chains_.end() || !found->second.waits) co_return;
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
