// Timers of a job on a node: concurrency, retries, queries about overdue tasks, expiry.
#include "core/rollout/node_job_state.h"

#include <algorithm>
#include <string>

namespace muster::rollout {

void node_job_state::expire(
    instant now, node_systems systems, std::vector<system_number>& ended, effects& out) {
    release_blocked(now);
    if (opens_at_ && now >= *opens_at_) opens_at_.reset();
    if (rate_retry_at_ && now >= *rate_retry_at_) rate_retry_at_.reset();
    if (refused_until_ && now >= *refused_until_) refused_until_.reset();
    if (now >= terms_.period.expires && (stage_ == job_stage::open || stage_ == job_stage::paused))
        stop_starting(job_stage::expired);
    release_retries(now, systems.free);
    query_overdue(now, systems.attached, ended, out);
    fail_absent_systems(now, systems.attached, out);
}

bool node_job_state::has_attempts_left(
    const job_terms& terms, std::uint32_t attempt, outcome outcome) {
    if (outcome == outcome::completed) return false;
    if (outcome == outcome::not_started) return true;
    if (outcome == outcome::failed) return attempt <= terms.rollout.retries;
    return terms.may_run_again && attempt <= std::max(terms.rollout.retries, reruns_max);
}

void node_job_state::release_blocked(instant now) {
    while (!blocked_until_.empty() && blocked_until_.front() <= now) blocked_until_.pop_front();
}

void node_job_state::release_retries(instant now, const fleet::system_set& free) {
    while (!retries_.empty() && retries_.begin()->first <= now) {
        const system_number system(std::int64_t{retries_.begin()->second});
        retries_.erase(retries_.begin());
        pending_.add(system);
        refresh(system, free.contains(system));
    }
}

void node_job_state::query_overdue(
    instant now,
    const fleet::system_set& attached,
    std::vector<system_number>& ended,
    effects& out) {
    while (!queries_.empty() && queries_.begin()->first <= now) {
        const auto bits = queries_.begin()->second;
        const system_number system(std::int64_t{bits});
        const auto it = tasks_.find(bits);
        const bool is_attached = attached.contains(system);
        const instant timeout_ends =
            std::max(terms_.period.expires, it->second.started + terms_.timeout);
        if (!is_attached && now >= timeout_ends) {
            // The agent cannot be queried any more, and the job must end.
            end_attempt(
                it,
                outcome::interrupted,
                "system is disconnected and the job has expired; the task may have run",
                now,
                out);
            ended.push_back(system);
            continue;
        }
        if (is_attached) out.emplace_back(query_task{{terms_.job, system, it->second.attempt}});
        queries_.erase(queries_.begin());
        it->second.query_at = now + query_interval;
        queries_.emplace(it->second.query_at, bits);
    }
}

// Fails the systems that were absent at two checks in a row and did not attach in between.
void node_job_state::fail_absent_systems(
    instant now, const fleet::system_set& attached, effects& out) {
    if (!away_check_ || now < *away_check_) return;
    away_check_ = now + away_timeout;
    const fleet::system_set absent =
        now >= terms_.period.opens ? pending_ - attached : fleet::system_set{};
    fleet::system_set lost = absent & away_;
    away_ = absent - lost;
    if (lost.empty()) return;
    pending_ -= lost;
    ready_ -= lost;
    const std::string reason = "system is disconnected and on_return is not set";
    system_number failed_system = *lost.smallest();
    if (const auto* canaries = std::get_if<canaries_only>(&permission_))
        failed_system = (lost & canaries->systems).smallest().value_or(failed_system);
    failed_ |= lost;
    failed_count_ = failed_.size();
    out.emplace_back(fail_absent{terms_.job, std::move(lost), reason});
    halt_if_too_many(failed_system, reason, out);
}

std::optional<instant> node_job_state::next_deadline() const {
    std::optional<instant> earliest;
    const auto consider = [&earliest](instant time) {
        earliest = earliest ? std::min(*earliest, time) : time;
    };
    if (!blocked_until_.empty()) consider(blocked_until_.front());
    if (!retries_.empty()) consider(retries_.begin()->first);
    if (!queries_.empty()) consider(queries_.begin()->first);
    if (away_check_) consider(*away_check_);
    if (rate_retry_at_) consider(*rate_retry_at_);
    if (refused_until_) consider(*refused_until_);
    if (opens_at_) consider(*opens_at_);
    if (stage_ == job_stage::open || stage_ == job_stage::paused) consider(terms_.period.expires);
    return earliest;
}

}  // namespace muster::rollout
