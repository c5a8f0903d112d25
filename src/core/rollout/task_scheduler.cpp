#include "core/rollout/task_scheduler.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::rollout {
namespace {

std::uint32_t bits_of(system_number system) {
    return static_cast<std::uint32_t>(system.value());
}

}  // namespace

task_scheduler::task_scheduler(scheduler_options options) : options_(std::move(options)) {
    MUSTER_ASSERT(options_.jobs_max > 0);
    MUSTER_ASSERT(options_.node_tasks_max > 0);
    MUSTER_ASSERT(options_.system_tasks_max > 0);
}

template <class Change>
effects task_scheduler::change_job(job_id job, instant now, Change change) {
    const auto it = jobs_.find(job);
    if (it == jobs_.end()) return {};
    effects out;
    change(it->second, out);
    update_job(it, now, out);
    start_tasks(now, out);
    return out;
}

template <class Report>
effects task_scheduler::apply_report(const attempt_key& task, instant now, Report report) {
    return change_job(task.job, now, [&](open_job& job, effects& out) {
        if (report(job.state, out) == node_job_state::change::left_flight)
            vacate(job, task.system, now);
    });
}

result<effects> task_scheduler::open(job_terms terms, share share, instant now) {
    const job_id job = terms.job;
    if (!jobs_.contains(job)) {
        if (jobs_.size() >= options_.jobs_max)
            return fail(
                errc::unavailable,
                "limit of " + std::to_string(options_.jobs_max)
                    + " open jobs on this node reached; the job waits until another job ends");
        jobs_.emplace(job, open_job{.state = node_job_state(std::move(terms), options_.self)});
    }
    return add_share(job, std::move(share), now);
}

effects task_scheduler::add_share(job_id job, share share, instant now) {
    return change_job(job, now, [&](open_job& entry, effects& out) {
        const auto in_flight_before = entry.state.systems_in_flight();
        entry.state.add_share(std::move(share), available_systems(entry), now);
        for (const system_number system : entry.state.systems_in_flight())
            if (!std::ranges::binary_search(in_flight_before, system)) occupy(entry, system, now);
        std::vector<system_number> ended;
        entry.state.expire(now, {attached_, available_systems(entry)}, ended, out);
        for (const system_number system : ended) vacate(entry, system, now);
        entry.done_reported = false;
    });
}

effects task_scheduler::remove_systems(
    const fleet::system_set& systems, std::int64_t epoch, instant now) {
    effects out;
    attached_ -= systems;
    free_ -= systems;
    for (auto& [limit, limited_systems] : running_max_) limited_systems -= systems;
    for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
        for (const system_number system : it->second.state.remove_systems(systems, epoch))
            vacate(it->second, system, now);
        update_job(it, now, out);
    }
    start_tasks(now, out);
    return out;
}

effects task_scheduler::set_stage(job_id job, job_stage stage, bool kill_running, instant now) {
    return change_job(job, now, [&](open_job& entry, effects& out) {
        entry.state.set_stage(stage, kill_running, out);
        // Reports the share as done again, so that the caller may remove the job.
        if (is_final(stage)) entry.done_reported = false;
    });
}

effects task_scheduler::remove(job_id job, instant now) {
    const auto it = jobs_.find(job);
    if (it == jobs_.end()) return {};
    lane_of(it->second).queue.remove(job);
    if (it->second.timer) timers_.erase({*it->second.timer, job});
    const auto removed = jobs_.extract(it);
    for (const system_number system : removed.mapped().state.systems_in_flight())
        vacate(removed.mapped(), system, now);
    effects out;
    start_tasks(now, out);
    return out;
}

effects task_scheduler::set_permission(job_id job, permission permission, instant now) {
    return change_job(job, now, [&](open_job& entry, effects&) {
        entry.state.set_permission(std::move(permission), available_systems(entry));
    });
}

effects task_scheduler::set_allowance(
    job_id job, allowance allowance, tasks_elsewhere elsewhere, instant now) {
    return change_job(job, now, [&](open_job& entry, effects&) {
        entry.state.set_allowance(allowance, elsewhere);
    });
}

effects task_scheduler::set_window(
    job_id job, const fleet::system_set& systems, window_state state, instant now) {
    return change_job(job, now, [&](open_job& entry, effects&) {
        if (state == window_state::open)
            entry.state.open_window(systems, available_systems(entry));
        else
            entry.state.close_window(systems);
    });
}

effects task_scheduler::on_attached(system_number system, instant now) {
    if (!attached_.add(system)) return {};
    if (has_capacity(system)) free_.add(system);
    effects out;
    for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
        it->second.state.on_attached(system, now, out);
        it->second.state.refresh(system, available_systems(it->second).contains(system));
        update_job(it, now, out);
    }
    start_tasks(now, out);
    return out;
}

effects task_scheduler::set_running_max(
    system_number system, std::uint32_t running_max, instant now) {
    for (auto& [limit, systems] : running_max_) systems.remove(system);
    if (running_max > 0 && running_max < options_.system_tasks_max)
        running_max_[running_max].add(system);
    if (!attached_.contains(system)) return {};
    if (has_capacity(system) ? free_.add(system) : free_.remove(system)) refresh_all(system, now);
    effects out;
    start_tasks(now, out);
    return out;
}

std::uint32_t task_scheduler::tasks_max_of(system_number system) const {
    for (const auto& [limit, systems] : running_max_)
        if (systems.contains(system)) return limit;
    return options_.system_tasks_max;
}

bool task_scheduler::has_capacity(system_number system) const {
    const auto it = running_counts_.find(bits_of(system));
    return it == running_counts_.end() || it->second < tasks_max_of(system);
}

effects task_scheduler::on_detached(system_number system, instant now) {
    if (!attached_.remove(system)) return {};
    free_.remove(system);
    refresh_all(system, now);
    effects out;
    start_tasks(now, out);
    return out;
}

effects task_scheduler::on_accepted(const attempt_key& task, instant now) {
    return apply_report(
        task, now, [&](node_job_state& state, effects&) { return state.on_accepted(task); });
}

effects task_scheduler::on_returned(
    const attempt_key& task, outcome outcome, std::string reason, instant now) {
    return apply_report(task, now, [&](node_job_state& state, effects& out) {
        return state.on_returned(task, outcome, std::move(reason), now, out);
    });
}

effects task_scheduler::on_still_running(const attempt_key& task, instant now) {
    return apply_report(task, now, [&](node_job_state& state, effects&) {
        return state.on_still_running(task, now);
    });
}

effects task_scheduler::on_unknown(const attempt_key& task, instant now) {
    return apply_report(task, now, [&](node_job_state& state, effects& out) {
        return state.on_unknown(task, now, out);
    });
}

effects task_scheduler::on_not_recorded(const start& start, instant now) {
    return change_job(start.task.job, now, [&](open_job& entry, effects&) {
        const bool free = available_systems(entry).contains(start.task.system);
        if (entry.state.on_not_recorded(start, free, now) == node_job_state::change::left_flight)
            vacate(entry, start.task.system, now);
    });
}

effects task_scheduler::set_node_tasks_max(std::uint64_t node_tasks_max, instant now) {
    MUSTER_ASSERT(node_tasks_max > 0);
    options_.node_tasks_max = node_tasks_max;
    effects out;
    start_tasks(now, out);
    return out;
}

effects task_scheduler::set_ledger_state(ledger_state state, instant now) {
    ledger_state_ = state;
    effects out;
    start_tasks(now, out);
    return out;
}

effects task_scheduler::expire(instant now) {
    effects out;
    while (!timers_.empty() && timers_.begin()->first <= now) {
        const auto it = jobs_.find(timers_.begin()->second);
        timers_.erase(timers_.begin());
        it->second.timer.reset();
        std::vector<system_number> ended;
        it->second.state.expire(now, {attached_, available_systems(it->second)}, ended, out);
        for (const system_number system : ended) vacate(it->second, system, now);
        update_job(it, now, out);
    }
    start_tasks(now, out);
    return out;
}

std::optional<instant> task_scheduler::next_deadline() const {
    if (timers_.empty()) return std::nullopt;
    return timers_.begin()->first;
}

std::optional<share_report> task_scheduler::report(job_id job, instant now) const {
    const auto it = jobs_.find(job);
    if (it == jobs_.end()) return std::nullopt;
    return it->second.state.report(now);
}

std::vector<job_id> task_scheduler::jobs() const {
    std::vector<job_id> ids;
    for (const auto& [job, entry] : jobs_) ids.push_back(job);
    return ids;
}

void task_scheduler::occupy(const open_job& job, system_number system, instant now) {
    ++lane_of(job).in_flight;
    if (!job.state.terms().limited) return;
    ++running_counts_[bits_of(system)];
    if (!has_capacity(system) && free_.remove(system)) refresh_all(system, now);
}

void task_scheduler::vacate(const open_job& job, system_number system, instant now) {
    --lane_of(job).in_flight;
    if (!job.state.terms().limited) return;
    const auto it = running_counts_.find(bits_of(system));
    MUSTER_ASSERT(it != running_counts_.end());
    if (--it->second == 0) running_counts_.erase(it);
    if (!attached_.contains(system) || !has_capacity(system)) return;
    if (free_.add(system)) refresh_all(system, now);
}

void task_scheduler::refresh_all(system_number system, instant now) {
    for (auto& [job, entry] : jobs_) {
        const bool free = available_systems(entry).contains(system);
        entry.state.refresh(system, free);
        if (free) enqueue(entry, now);
    }
}

void task_scheduler::enqueue(const open_job& job, instant now) {
    if (!job.state.can_start(now)) return;
    const job_terms& terms = job.state.terms();
    lane_of(job).queue.add(terms.job, terms.rollout.priority, terms.rollout.weight);
}

void task_scheduler::update_job(job_map::iterator it, instant now, effects& out) {
    enqueue(it->second, now);
    set_timer(it);
    const bool idle = it->second.state.is_idle();
    if (idle && !it->second.done_reported) out.emplace_back(share_done{it->first});
    it->second.done_reported = idle;
}

// A timer that fires too early is set again; moving it at every change would cost more.
void task_scheduler::set_timer(job_map::iterator it) {
    const auto due = it->second.state.next_deadline();
    auto& wake = it->second.timer;
    if (!due || (wake && *wake <= *due)) return;
    if (wake) timers_.erase({*wake, it->first});
    wake = due;
    timers_.emplace(*due, it->first);
}

void task_scheduler::start_tasks(instant now, effects& out) {
    start_tasks(unlimited_, options_.unlimited_max, now, out);
    start_tasks(limited_, options_.node_tasks_max, now, out);
}

void task_scheduler::start_tasks(
    lane& lane, std::uint64_t in_flight_max, instant now, effects& out) {
    while (!lane.queue.empty()) {
        if (ledger_state_ == ledger_state::overloaded || lane.in_flight >= in_flight_max) return;
        const auto it = jobs_.find(lane.queue.current());
        node_job_state& job = it->second.state;
        const auto task = job.can_start(now) ? job.start_next(last_ticket_ + 1, now) : std::nullopt;
        if (task) {
            lane.queue.spend();
            occupy(it->second, task->system, now);
            out.emplace_back(start{*task, ++last_ticket_});
        } else {
            lane.queue.remove(it->first);
        }
        set_timer(it);
    }
}

}  // namespace muster::rollout
