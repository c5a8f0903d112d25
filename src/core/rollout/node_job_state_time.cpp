// What time brings to a share: places that are free again, further attempts, questions, ends.
#include "core/rollout/node_job_state.h"

#include <algorithm>
#include <string>

namespace muster::rollout {

void node_job_state::expire(
    instant now, dependencies here, std::vector<system_number>& ended, effects& out) {
    release_places(now);
    if (opens_at_ && now >= *opens_at_) opens_at_.reset();
    if (token_at_ && now >= *token_at_) token_at_.reset();
    if (refused_until_ && now >= *refused_until_) refused_until_.reset();
    if (now >= terms_.when.expires && (stage_ == job_stage::open || stage_ == job_stage::paused))
        stop_starting(job_stage::expired);
    release_retries(now, here.free);
    ask_overdue(now, here.attached, ended, out);
    fail_those_away(now, here.attached, out);
}

bool node_job_state::attempts_left(const job_terms& terms, std::uint32_t attempt, outcome how) {
    if (how == outcome::completed) return false;
    if (how == outcome::not_started) return true;
    if (how == outcome::failed) return attempt <= terms.rollout.retries;
    return terms.may_run_again && attempt <= std::max(terms.rollout.retries, reruns_max);
}

void node_job_state::release_places(instant now) {
    while (!blocked_places_.empty() && blocked_places_.front() <= now) blocked_places_.pop_front();
}

void node_job_state::release_retries(instant now, const fleet::system_set& free) {
    while (!retries_.empty() && retries_.begin()->first <= now) {
        const system_number system(std::int64_t{retries_.begin()->second});
        retries_.erase(retries_.begin());
        pending_.add(system);
        refresh(system, free.contains(system));
    }
}

void node_job_state::ask_overdue(
    instant now,
    const fleet::system_set& attached,
    std::vector<system_number>& ended,
    effects& out) {
    while (!asks_.empty() && asks_.begin()->first <= now) {
        const auto bits = asks_.begin()->second;
        const system_number system(std::int64_t{bits});
        const auto at = tasks_.find(bits);
        const bool there = attached.contains(system);
        const instant timeout_ends =
            std::max(terms_.when.expires, at->second.started + terms_.timeout);
        if (!there && now >= timeout_ends) {
            // Nobody can be asked any more, and the job must end: said as it is.
            end_attempt(
                at,
                outcome::interrupted,
                "The system is away and the job's time is over: it may have run.",
                now,
                out);
            ended.push_back(system);
            continue;
        }
        if (there) out.emplace_back(ask{{terms_.job, system, at->second.attempt}});
        asks_.erase(asks_.begin());
        at->second.ask_at = now + ask_interval;
        asks_.emplace(at->second.ask_at, bits);
    }
}

// A system that was away at two looks in a row, and never there in between.
void node_job_state::fail_those_away(instant now, const fleet::system_set& attached, effects& out) {
    if (!away_check_ || now < *away_check_) return;
    away_check_ = now + away_timeout;
    const fleet::system_set away_now =
        now >= terms_.when.opens ? pending_ - attached : fleet::system_set{};
    fleet::system_set lost = away_now & away_;
    away_ = away_now - lost;
    if (lost.empty()) return;
    pending_ -= lost;
    ready_ -= lost;
    const std::string reason = "The system is away, and the job does not wait for it.";
    system_number worst = *lost.smallest();
    if (const auto* canaries = std::get_if<canaries_only>(&permission_))
        worst = (lost & canaries->systems).smallest().value_or(worst);
    failed_ |= lost;
    failed_count_ = failed_.size();
    out.emplace_back(fail_absent{terms_.job, std::move(lost), reason});
    halt_if_too_many(worst, reason, out);
}

std::optional<instant> node_job_state::next_deadline() const {
    std::optional<instant> earliest;
    const auto consider = [&earliest](instant when) {
        earliest = earliest ? std::min(*earliest, when) : when;
    };
    if (!blocked_places_.empty()) consider(blocked_places_.front());
    if (!retries_.empty()) consider(retries_.begin()->first);
    if (!asks_.empty()) consider(asks_.begin()->first);
    if (away_check_) consider(*away_check_);
    if (token_at_) consider(*token_at_);
    if (refused_until_) consider(*refused_until_);
    if (opens_at_) consider(*opens_at_);
    if (stage_ == job_stage::open || stage_ == job_stage::paused) consider(terms_.when.expires);
    return earliest;
}

}  // namespace muster::rollout
