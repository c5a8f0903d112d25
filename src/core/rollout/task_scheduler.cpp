#include "core/rollout/task_scheduler.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::rollout {
namespace {

std::uint32_t bits_of(system_number system) {
    return static_cast<std::uint32_t>(system.value());
}

}  // namespace

task_scheduler::task_scheduler(engine_options options) : options_(std::move(options)) {
    MUSTER_ASSERT(options_.jobs_max > 0);
    MUSTER_ASSERT(options_.node_points > 0);
    MUSTER_ASSERT(options_.system_points > 0);
}

template <class Change>
effects task_scheduler::touch(job_id job, instant now, Change change) {
    const auto at = jobs_.find(job);
    if (at == jobs_.end()) return {};
    effects out;
    change(at->second, out);
    review(at, now, out);
    start_tasks(now, out);
    return out;
}

template <class Answer>
effects task_scheduler::answer(const attempt_key& task, instant now, Answer take) {
    return touch(task.job, now, [&](member& of, effects& out) {
        if (take(of.share, out) == node_job_state::change::left_flight)
            give_points(of, task.system, now);
    });
}

result<effects> task_scheduler::open(job_terms terms, share share, instant now) {
    const job_id job = terms.job;
    if (!jobs_.contains(job)) {
        if (jobs_.size() >= options_.jobs_max)
            return fail(
                errc::unavailable,
                "this node has " + std::to_string(jobs_.size())
                    + " open jobs, as many as it takes; the job waits until one of them ends");
        jobs_.emplace(job, member{.share = node_job_state(std::move(terms), options_.self)});
    }
    return gain(job, std::move(share), now);
}

effects task_scheduler::gain(job_id job, share more, instant now) {
    return touch(job, now, [&](member& to, effects& out) {
        const auto before = to.share.systems_in_flight();
        to.share.gain(std::move(more), open_to(to), now);
        for (const system_number system : to.share.systems_in_flight())
            if (!std::ranges::binary_search(before, system)) take_points(to, system, now);
        std::vector<system_number> ended;
        to.share.expire(now, {attached_, open_to(to)}, ended, out);
        for (const system_number system : ended) give_points(to, system, now);
        to.told_done = false;
    });
}

effects task_scheduler::lose(const fleet::system_set& systems, std::int64_t epoch, instant now) {
    effects out;
    attached_ -= systems;
    free_ -= systems;
    for (auto& [points, those] : bounded_) those -= systems;
    for (auto at = jobs_.begin(); at != jobs_.end(); ++at) {
        for (const system_number system : at->second.share.lose(systems, epoch))
            give_points(at->second, system, now);
        review(at, now, out);
    }
    start_tasks(now, out);
    return out;
}

effects task_scheduler::change(job_id job, job_stage to, bool kill_running, instant now) {
    return touch(job, now, [&](member& of, effects& out) {
        of.share.set_stage(to, kill_running, out);
        // Only now the driver may forget it.
        if (is_end(to)) of.told_done = false;
    });
}

effects task_scheduler::forget(job_id job, instant now) {
    const auto at = jobs_.find(job);
    if (at == jobs_.end()) return {};
    lane_of(at->second).order.leave(job);
    if (at->second.wake) wakes_.erase({*at->second.wake, job});
    const auto gone = jobs_.extract(at);
    for (const system_number system : gone.mapped().share.systems_in_flight())
        give_points(gone.mapped(), system, now);
    effects out;
    start_tasks(now, out);
    return out;
}

effects task_scheduler::permit(job_id job, permission permission, instant now) {
    return touch(job, now, [&](member& of, effects&) {
        of.share.permit(std::move(permission), open_to(of));
    });
}

effects task_scheduler::allow(job_id job, allowance part, settlement used, instant now) {
    return touch(job, now, [&](member& of, effects&) { of.share.allow(part, used); });
}

effects task_scheduler::set_gate(
    job_id job, const fleet::system_set& systems, gate to, instant now) {
    return touch(job, now, [&](member& of, effects&) {
        if (to == gate::open)
            of.share.open_gate(systems, open_to(of));
        else
            of.share.close_gate(systems);
    });
}

effects task_scheduler::attached(system_number system, instant now) {
    if (!attached_.add(system)) return {};
    if (has_points(system)) free_.add(system);
    effects out;
    for (auto at = jobs_.begin(); at != jobs_.end(); ++at) {
        at->second.share.attached(system, now, out);
        at->second.share.refresh(system, open_to(at->second).contains(system));
        review(at, now, out);
    }
    start_tasks(now, out);
    return out;
}

effects task_scheduler::bounded(system_number system, std::uint32_t running_max, instant now) {
    for (auto& [points, those] : bounded_) those.remove(system);
    if (running_max > 0 && running_max < options_.system_points) bounded_[running_max].add(system);
    if (!attached_.contains(system)) return {};
    if (has_points(system) ? free_.add(system) : free_.remove(system)) refresh_all(system, now);
    effects out;
    start_tasks(now, out);
    return out;
}

std::uint32_t task_scheduler::points_of(system_number system) const {
    for (const auto& [points, those] : bounded_)
        if (those.contains(system)) return points;
    return options_.system_points;
}

bool task_scheduler::has_points(system_number system) const {
    const auto busy = busy_.find(bits_of(system));
    return busy == busy_.end() || busy->second < points_of(system);
}

effects task_scheduler::went_away(system_number system, instant now) {
    if (!attached_.remove(system)) return {};
    free_.remove(system);
    refresh_all(system, now);
    effects out;
    start_tasks(now, out);
    return out;
}

effects task_scheduler::accepted(const attempt_key& task, instant now) {
    return answer(task, now, [&](node_job_state& of, effects&) { return of.accepted(task); });
}

effects task_scheduler::returned(
    const attempt_key& task, outcome outcome, std::string reason, instant now) {
    return answer(task, now, [&](node_job_state& of, effects& out) {
        return of.returned(task, outcome, std::move(reason), now, out);
    });
}

effects task_scheduler::still_running(const attempt_key& task, instant now) {
    return answer(
        task, now, [&](node_job_state& of, effects&) { return of.still_running(task, now); });
}

effects task_scheduler::not_known(const attempt_key& task, instant now) {
    return answer(
        task, now, [&](node_job_state& of, effects& out) { return of.not_known(task, now, out); });
}

effects task_scheduler::not_recorded(const start& start, instant now) {
    return touch(start.task.job, now, [&](member& of, effects&) {
        const bool free = open_to(of).contains(start.task.system);
        if (of.share.not_recorded(start, free, now) == node_job_state::change::left_flight)
            give_points(of, start.task.system, now);
    });
}

effects task_scheduler::set_points(std::uint64_t node_points, instant now) {
    MUSTER_ASSERT(node_points > 0);
    options_.node_points = node_points;
    effects out;
    start_tasks(now, out);
    return out;
}

effects task_scheduler::pressure(ledger ledger, instant now) {
    ledger_ = ledger;
    effects out;
    start_tasks(now, out);
    return out;
}

effects task_scheduler::expire(instant now) {
    effects out;
    while (!wakes_.empty() && wakes_.begin()->first <= now) {
        const auto at = jobs_.find(wakes_.begin()->second);
        wakes_.erase(wakes_.begin());
        at->second.wake.reset();
        std::vector<system_number> ended;
        at->second.share.expire(now, {attached_, open_to(at->second)}, ended, out);
        for (const system_number system : ended) give_points(at->second, system, now);
        review(at, now, out);
    }
    start_tasks(now, out);
    return out;
}

std::optional<instant> task_scheduler::next_deadline() const {
    if (wakes_.empty()) return std::nullopt;
    return wakes_.begin()->first;
}

std::optional<share_report> task_scheduler::report(job_id job, instant now) const {
    const auto at = jobs_.find(job);
    if (at == jobs_.end()) return std::nullopt;
    return at->second.share.report(now);
}

std::vector<job_id> task_scheduler::jobs() const {
    std::vector<job_id> all;
    for (const auto& [job, of] : jobs_) all.push_back(job);
    return all;
}

void task_scheduler::take_points(const member& member, system_number system, instant now) {
    ++lane_of(member).in_flight;
    if (!member.share.terms().takes_points) return;
    ++busy_[bits_of(system)];
    if (!has_points(system) && free_.remove(system)) refresh_all(system, now);
}

void task_scheduler::give_points(const member& member, system_number system, instant now) {
    --lane_of(member).in_flight;
    if (!member.share.terms().takes_points) return;
    const auto at = busy_.find(bits_of(system));
    MUSTER_ASSERT(at != busy_.end());
    if (--at->second == 0) busy_.erase(at);
    if (!attached_.contains(system) || !has_points(system)) return;
    if (free_.add(system)) refresh_all(system, now);
}

void task_scheduler::refresh_all(system_number system, instant now) {
    for (auto& [job, of] : jobs_) {
        const bool free = open_to(of).contains(system);
        of.share.refresh(system, free);
        if (free) enter_turns(of, now);
    }
}

void task_scheduler::enter_turns(const member& of, instant now) {
    if (!of.share.startable(now)) return;
    const job_terms& terms = of.share.terms();
    lane_of(of).order.enter(terms.job, terms.rollout.priority, terms.rollout.weight);
}

void task_scheduler::review(member_map::iterator at, instant now, effects& out) {
    enter_turns(at->second, now);
    arm(at);
    const bool idle = at->second.share.idle();
    if (idle && !at->second.told_done) out.emplace_back(share_done{at->first});
    at->second.told_done = idle;
}

// A timer that rings too early is looked at and set again; moving it each time would cost more.
void task_scheduler::arm(member_map::iterator at) {
    const auto due = at->second.share.next_deadline();
    auto& wake = at->second.wake;
    if (!due || (wake && *wake <= *due)) return;
    if (wake) wakes_.erase({*wake, at->first});
    wake = due;
    wakes_.emplace(*due, at->first);
}

void task_scheduler::start_tasks(instant now, effects& out) {
    start_tasks(unpaid_, options_.unpaid_max, now, out);
    start_tasks(paid_, options_.node_points, now, out);
}

void task_scheduler::start_tasks(
    lane& among, std::uint64_t in_flight_max, instant now, effects& out) {
    while (!among.order.empty()) {
        if (ledger_ == ledger::falls_behind || among.in_flight >= in_flight_max) return;
        const auto at = jobs_.find(among.order.current());
        node_job_state& next = at->second.share;
        const auto task = next.startable(now) ? next.start_next(tickets_ + 1, now) : std::nullopt;
        if (task) {
            among.order.spend();
            take_points(at->second, task->system, now);
            out.emplace_back(start{*task, ++tickets_});
        } else {
            among.order.leave(at->first);
        }
        arm(at);
    }
}

}  // namespace muster::rollout
