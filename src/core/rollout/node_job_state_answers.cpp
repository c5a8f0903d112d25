// Reports of agents about tasks, and the end of an attempt.
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

node_job_state::change node_job_state::on_accepted(const attempt_key& task) {
    const auto it = find(task);
    if (it == tasks_.end()) return change::nothing;
    it->second.accepted = true;
    return change::noted;
}

node_job_state::change node_job_state::on_still_running(const attempt_key& task, instant now) {
    const auto it = find(task);
    if (it == tasks_.end()) return change::nothing;
    queries_.erase({it->second.query_at, it->first});
    it->second.accepted = true;
    it->second.query_at = std::max(now + query_interval, it->second.started + terms_.timeout);
    queries_.emplace(it->second.query_at, it->first);
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

void node_job_state::queue_retry(const attempt_key& task, outcome outcome, instant now) {
    const auto bits = bits_of(task.system);
    const auto wait = retry_wait(begun_attempts(bits, task.attempt));
    retries_.emplace(now + (outcome == outcome::not_started ? unstarted_wait : wait), bits);
    attempts_[bits] = task.attempt + 1;
    if (outcome == outcome::not_started) ++unstarted_[bits];
}

void node_job_state::end_attempt(
    task_map::iterator it, outcome outcome, std::string reason, instant now, effects& out) {
    const auto system = number_of(it->first);
    const attempt_key key{terms_.job, system, it->second.attempt};
    remove_in_flight(it, now);
    if (outcome == outcome::completed) {
        completed_.add(system);
        out.emplace_back(conclude{key, task_state::completed, std::move(reason)});
    } else if (
        is_active()
        && has_attempts_left(terms_, begun_attempts(bits_of(system), key.attempt), outcome)) {
        queue_retry(key, outcome, now);
        out.emplace_back(conclude{key, task_state::queued, std::move(reason)});
    } else {
        out.emplace_back(conclude{key, task_state::failed, reason});
        if (failed_.add(system)) ++failed_count_;
        halt_if_too_many(system, reason, out);
    }
}

void node_job_state::halt_if_too_many(
    system_number system, const std::string& reason, effects& out) {
    if (!is_active()) return;
    std::string halt_reason;
    const auto* canaries = std::get_if<canaries_only>(&permission_);
    const auto failures_max = failure_limit(terms_.rollout, terms_.targets);
    if (canaries != nullptr && canaries->systems.contains(system))
        halt_reason = "a canary failed: system " + std::to_string(system.value()) + ": " + reason;
    else if (failures_max && failed_count_ > *failures_max)
        halt_reason = std::to_string(failed_count_) + " tasks failed on one node, failure limit is "
                      + std::to_string(*failures_max);
    if (halt_reason.empty()) return;
    stop_starting(job_stage::halted);
    out.emplace_back(halt{terms_.job, std::move(halt_reason)});
}

node_job_state::change node_job_state::on_returned(
    const attempt_key& task, outcome outcome, std::string reason, instant now, effects& out) {
    const auto it = find(task);
    if (it == tasks_.end()) return on_late_return(task, outcome, std::move(reason), out);
    end_attempt(it, outcome, std::move(reason), now, out);
    return change::left_flight;
}

node_job_state::change node_job_state::on_late_return(
    const attempt_key& task, outcome outcome, std::string reason, effects& out) {
    const auto bits = bits_of(task.system);
    const auto next = attempts_.find(bits);
    if (next == attempts_.end() || next->second != task.attempt + 1) return change::nothing;
    const auto retry =
        std::ranges::find(retries_, bits, &std::pair<instant, std::uint32_t>::second);
    if (retry == retries_.end() && !pending_.contains(task.system)) return change::nothing;
    if (outcome != outcome::completed) {
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

node_job_state::change node_job_state::on_unknown(
    const attempt_key& task, instant now, effects& out) {
    const auto it = find(task);
    if (it == tasks_.end()) return change::nothing;
    // The agent never received it: an agent journals a task before it accepts it.
    if (!it->second.accepted && may_begin(now)) {
        out.emplace_back(resend_task{task});
        return change::noted;
    }
    if (!it->second.accepted) {
        end_attempt(it, outcome::failed, "task had not started when its job ended", now, out);
        return change::left_flight;
    }
    end_attempt(it, outcome::interrupted, "No job return event was received.", now, out);
    return change::left_flight;
}

node_job_state::change node_job_state::on_not_recorded(const start& start, bool free, instant now) {
    const auto it = find(start.task);
    if (it == tasks_.end() || it->second.ticket != start.ticket) return change::nothing;
    queries_.erase({it->second.query_at, it->first});
    --charged_[it->second.starter];
    tasks_.erase(it);
    if (!is_active()) return change::left_flight;
    if (start.task.attempt > 1) attempts_[bits_of(start.task.system)] = start.task.attempt;
    pending_.add(start.task.system);
    refresh(start.task.system, free);
    refused_until_ = now + refused_wait;
    return change::left_flight;
}

}  // namespace muster::rollout
