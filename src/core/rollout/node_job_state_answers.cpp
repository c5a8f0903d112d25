// What agents tell of a share's tasks, and how an attempt ends.
#include "core/rollout/node_job_state.h"

#include <algorithm>
#include <string>
#include <utility>

namespace muster::rollout {
namespace {

std::uint32_t bits_of(system_number system) {
    return static_cast<std::uint32_t>(system.value());
}

system_number number_of(std::uint32_t bits) {
    return system_number(std::int64_t{bits});
}

}  // namespace

node_job_state::change node_job_state::accepted(const attempt_key& task) {
    const auto at = find(task);
    if (at == tasks_.end()) return change::nothing;
    at->second.accepted = true;
    return change::noted;
}

node_job_state::change node_job_state::still_running(const attempt_key& task, instant now) {
    const auto at = find(task);
    if (at == tasks_.end()) return change::nothing;
    asks_.erase({at->second.ask_at, at->first});
    at->second.accepted = true;
    at->second.ask_at = std::max(now + ask_interval, at->second.started + terms_.timeout);
    asks_.emplace(at->second.ask_at, at->first);
    return change::noted;
}

std::uint32_t node_job_state::begun_attempts(std::uint32_t system, std::uint32_t attempt) const {
    const auto it = unstarted_.find(system);
    if (it == unstarted_.end()) return attempt;
    return std::max(attempt, it->second + 1) - it->second;
}

monotonic::duration node_job_state::retry_wait(std::uint32_t begun) const {
    constexpr std::uint32_t doublings_max = 20;
    const auto doublings = std::min(begun - 1, doublings_max);
    return std::min(terms_.rollout.retry_wait * (1U << doublings), retry_wait_max);
}

void node_job_state::queue_again(const attempt_key& task, outcome how, instant now) {
    const auto bits = bits_of(task.system);
    const auto wait = retry_wait(begun_attempts(bits, task.attempt));
    retries_.emplace(now + (how == outcome::not_started ? unstarted_wait : wait), bits);
    attempts_[bits] = task.attempt + 1;
    if (how == outcome::not_started) ++unstarted_[bits];
}

void node_job_state::end_attempt(
    task_map::iterator at, outcome how, std::string reason, instant now, effects& out) {
    const auto system = number_of(at->first);
    const attempt_key key{terms_.job, system, at->second.attempt};
    take_out(at, now);
    if (how == outcome::completed) {
        completed_.add(system);
        out.emplace_back(conclude{key, task_state::completed, std::move(reason)});
    } else if (
        starting() && attempts_left(terms_, begun_attempts(bits_of(system), key.attempt), how)) {
        queue_again(key, how, now);
        out.emplace_back(conclude{key, task_state::queued, std::move(reason)});
    } else {
        out.emplace_back(conclude{key, task_state::failed, reason});
        if (failed_.add(system)) ++failed_count_;
        halt_if_too_many(system, reason, out);
    }
}

void node_job_state::halt_if_too_many(
    system_number system, const std::string& reason, effects& out) {
    if (!starting()) return;
    std::string why;
    const auto* canaries = std::get_if<canaries_only>(&permission_);
    const auto borne = failures_borne(terms_.rollout, terms_.targets);
    if (canaries != nullptr && canaries->systems.contains(system))
        why = "a canary failed: system " + std::to_string(system.value()) + ": " + reason;
    else if (borne && failed_count_ > *borne)
        why = std::to_string(failed_count_) + " tasks failed on one node, the job bears "
              + std::to_string(*borne);
    if (why.empty()) return;
    stop_starting(job_stage::halted);
    out.emplace_back(halt{terms_.job, std::move(why)});
}

node_job_state::change node_job_state::returned(
    const attempt_key& task, outcome outcome, std::string reason, instant now, effects& out) {
    const auto at = find(task);
    if (at == tasks_.end()) return returned_again(task, outcome, std::move(reason), out);
    end_attempt(at, outcome, std::move(reason), now, out);
    return change::left_flight;
}

node_job_state::change node_job_state::returned_again(
    const attempt_key& task, outcome how, std::string reason, effects& out) {
    const auto bits = bits_of(task.system);
    const auto next = attempts_.find(bits);
    if (next == attempts_.end() || next->second != task.attempt + 1) return change::nothing;
    const auto retry =
        std::ranges::find(retries_, bits, &std::pair<instant, std::uint32_t>::second);
    if (retry == retries_.end() && !pending_.contains(task.system)) return change::nothing;
    if (how != outcome::completed) {
        out.emplace_back(conclude{task, task_state::queued, std::move(reason)});
        return change::noted;
    }
    if (retry != retries_.end()) retries_.erase(retry);
    pending_.remove(task.system);
    ready_.remove(task.system);
    attempts_.erase(next);
    completed_.add(task.system);
    out.emplace_back(conclude{task, task_state::completed, std::move(reason)});
    return change::noted;
}

node_job_state::change node_job_state::not_known(
    const attempt_key& task, instant now, effects& out) {
    const auto at = find(task);
    if (at == tasks_.end()) return change::nothing;
    // It never got there: the agent journals before it accepts.
    if (!at->second.accepted && may_begin(now)) {
        out.emplace_back(send_again{task});
        return change::noted;
    }
    if (!at->second.accepted) {
        end_attempt(at, outcome::failed, "It had not begun when its job ended.", now, out);
        return change::left_flight;
    }
    end_attempt(at, outcome::interrupted, "No job return event was received.", now, out);
    return change::left_flight;
}

node_job_state::change node_job_state::not_recorded(const start& start, bool free, instant now) {
    const auto at = find(start.task);
    if (at == tasks_.end() || at->second.ticket != start.ticket) return change::nothing;
    asks_.erase({at->second.ask_at, at->first});
    --charged_[at->second.starter];
    tasks_.erase(at);
    if (!starting()) return change::left_flight;
    if (start.task.attempt > 1) attempts_[bits_of(start.task.system)] = start.task.attempt;
    pending_.add(start.task.system);
    refresh(start.task.system, free);
    refused_until_ = now + refused_wait;
    return change::left_flight;
}

}  // namespace muster::rollout
