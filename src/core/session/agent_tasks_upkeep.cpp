#include "core/session/agent_tasks.h"

#include <algorithm>
#include <utility>

// Signals and acknowledgements of nodes, and timers.
namespace muster::session {
namespace {

using stage = journaled_task::journal_state;

constexpr std::chrono::minutes forget_interval{10};

}  // namespace

task_effects agent_tasks::on_signal(task_name task, task_signal signal, moment at) {
    effect_batch out{.at = at};
    const auto it = tasks_.find(task);
    if (it == tasks_.end()) {
        if (attached_) out.held_tasks.tasks.push_back({.task = task, .since = {}, .unknown = true});
        return to_effects(std::move(out));
    }
    if (signal == task_signal::query) {
        send_status(it->second, out);
    } else {
        end_by_signal(it->second, signal, out);
        start_next(out);
    }
    return to_effects(std::move(out));
}

void agent_tasks::end_by_signal(entry& entry, task_signal signal, effect_batch& out) {
    const auto name = entry.record.request.name;
    switch (entry.phase) {
        case task_phase::waiting:
            return report(entry, {.outcome = task_outcome::cancelled}, out);
        case task_phase::accepting:
        case task_phase::starting:
            entry.forced_outcome = task_outcome::cancelled;
            return;
        case task_phase::running:
            break;
        case task_phase::reporting:
            return;
        case task_phase::reported:
        case task_phase::acknowledged:
            return send_status(entry, out);
    }
    if (signal == task_signal::cancel) {
        if (entry.forced_outcome != task_outcome::unknown) return;
        entry.forced_outcome = task_outcome::cancelled;
        return escalate_end(entry, out);
    }
    const auto kind = signal == task_signal::kill ? end_kind::kill : end_kind::term;
    if (entry.has_process) out.actions.emplace_back(end_task{.task = name, .kind = kind});
}

// The next step of ending a task: term, kill, abandon.
void agent_tasks::escalate_end(entry& entry, effect_batch& out) {
    const auto name = entry.record.request.name;
    if (!entry.has_process)
        return report(
            entry,
            {.outcome = entry.forced_outcome,
             .exit_code = -1,
             .reason = "the machine did not reboot in time"},
            out);
    if (!entry.end_sent) {
        entry.end_sent = end_kind::term;
        entry.deadline = out.at.now + options_.kill_after;
        out.actions.emplace_back(end_task{.task = name, .kind = end_kind::term});
    } else if (entry.end_sent == end_kind::term) {
        entry.end_sent = end_kind::kill;
        entry.deadline = out.at.now + options_.give_up_after;
        out.actions.emplace_back(end_task{.task = name, .kind = end_kind::kill});
    } else {
        report(
            entry,
            {.outcome = entry.forced_outcome,
             .exit_code = -1,
             .reason = "the process did not exit after SIGKILL"},
            out);
    }
}

task_effects agent_tasks::on_reports_acknowledged(const std::vector<task_name>& tasks, moment at) {
    effect_batch out{.at = at};
    for (const auto& task : tasks) {
        const auto it = tasks_.find(task);
        if (it != tasks_.end() && it->second.phase == task_phase::reported)
            acknowledge(it->second, out);
    }
    while (acknowledged_.size() > options_.remembered_max) forget_oldest(out);
    while (undelivered_.size() > options_.undelivered_max) {
        const auto oldest = *undelivered_.begin();
        out.actions.emplace_back(discard_payload{.task = oldest, .undelivered = true});
        undelivered_.erase(undelivered_.begin());
        forget(oldest, out);
    }
    return to_effects(std::move(out));
}

// The report is recorded: only a small entry stays.
void agent_tasks::acknowledge(entry& entry, effect_batch& out) {
    const auto name = entry.record.request.name;
    entry.phase = task_phase::acknowledged;
    entry.record.state = stage::acknowledged;
    entry.record.report.result.inline_payload = {};
    unacknowledged_.erase(name);
    remember(entry, out.at);
    out.lazy.put.push_back(entry.record);
}

void agent_tasks::remember(entry& entry, moment at) {
    const auto name = entry.record.request.name;
    if (entry.record.report.result.payload_stored) {
        if (undelivered_.empty()) offer_at_ = at.now + options_.offer_interval;
        undelivered_.insert(name);
        return;
    }
    if (acknowledged_.empty()) forget_at_ = at.now + forget_interval;
    acknowledged_.push_back(name);
}

void agent_tasks::on_payload_requested(task_name task, moment at) {
    if (undelivered_.contains(task)) tasks_.at(task).sent = at.now;
}

task_effects agent_tasks::on_payload_delivered(task_name task, moment at) {
    const auto it = tasks_.find(task);
    if (it == tasks_.end() || !it->second.record.report.result.payload_stored) return {};
    effect_batch out{.at = at};
    it->second.record.report.result.payload_stored = false;
    if (undelivered_.erase(task) > 0) remember(it->second, at);
    out.lazy.put.push_back(it->second.record);
    out.actions.emplace_back(discard_payload{.task = task});
    return to_effects(std::move(out));
}

task_effects agent_tasks::on_attached(moment at) {
    attached_ = true;
    effect_batch out{.at = at};
    out.held_tasks.complete = true;
    for (const auto& task : unfinished())
        out.held_tasks.tasks.push_back(to_held_task(tasks_.at(task.task->request.name)));
    for (const auto& name : unacknowledged_) send(tasks_.at(name), out);
    // These reports are recorded, but the node may not know that it lacks the payload.
    for (const auto& name : undelivered_) send(tasks_.at(name), out);
    resend_at_ = at.now + options_.resend_interval;
    return to_effects(std::move(out));
}

task_effects agent_tasks::set_overload(std::string reason, moment at) {
    overload_ = std::move(reason);
    effect_batch out{.at = at};
    start_next(out);
    return to_effects(std::move(out));
}

task_effects agent_tasks::expire(moment at) {
    effect_batch out{.at = at};
    if (retry_at_ && *retry_at_ <= at.now) retry_at_.reset();
    const auto running = running_;
    for (const auto& name : running) {
        entry& entry = tasks_.at(name);
        if (entry.phase != task_phase::running || entry.deadline > at.now) continue;
        if (entry.forced_outcome == task_outcome::unknown)
            entry.forced_outcome = task_outcome::timed_out;
        escalate_end(entry, out);
    }
    refuse_overdue(out);
    if (resend_at_ <= at.now) resend_reports(out);
    if (forget_at_ <= at.now) forget_expired(out);
    if (offer_at_ <= at.now) offer_payloads(out);
    start_next(out);
    return to_effects(std::move(out));
}

void agent_tasks::refuse_overdue(effect_batch& out) {
    const auto cause = overload_.empty() ? std::string("other tasks were running") : overload_;
    const auto waiting = waiting_;
    for (const auto& name : waiting) {
        entry& entry = tasks_.at(name);
        if (is_late(entry, out.at)) {
            end_late(entry, entry.record.starts, out);
        } else if (entry.received + options_.wait_max <= out.at.now) {
            report(
                entry,
                {.outcome = task_outcome::refused,
                 .exit_code = -1,
                 .reason = "not started in time: " + cause},
                out);
        }
    }
}

// Checks the wall clock too, because the monotonic clock stops while the machine sleeps.
bool agent_tasks::is_late(const entry& entry, moment at) {
    if (!entry.start_by) return false;
    return *entry.start_by <= at.now
           || at.wall - entry.record.since >= entry.record.request.start_within;
}

// A task that was started before may have done a part, so it counts as interrupted.
void agent_tasks::end_late(entry& entry, std::uint32_t starts, effect_batch& out) {
    if (starts == 0)
        return report(
            entry,
            {.outcome = task_outcome::not_started,
             .exit_code = -1,
             .reason = "maintenance window closed before the task started"},
            out);
    report(
        entry,
        {.outcome = task_outcome::interrupted,
         .exit_code = -1,
         .reason = "interrupted: the agent stopped while the task was running, and the maintenance "
                   "window closed before the task could run again"},
        out);
}

void agent_tasks::resend_reports(effect_batch& out) {
    for (const auto& name : unacknowledged_) {
        entry& entry = tasks_.at(name);
        if (entry.report_unstored) out.durable.push_back(entry.record);
        if (entry.sent + options_.resend_interval <= out.at.now) send(entry, out);
    }
    resend_at_ = out.at.now + options_.resend_interval;
}

// An overloaded node discards offers of payloads.
void agent_tasks::offer_payloads(effect_batch& out) {
    for (const auto& name : undelivered_) {
        entry& entry = tasks_.at(name);
        if (entry.sent + options_.offer_interval <= out.at.now) send(entry, out);
    }
    offer_at_ = out.at.now + options_.offer_interval;
}

void agent_tasks::forget_expired(effect_batch& out) {
    const auto since =
        out.at.wall - std::chrono::floor<std::chrono::microseconds>(options_.dedup_period);
    while (!acknowledged_.empty() && tasks_.at(acknowledged_.front()).record.report.ended <= since)
        forget_oldest(out);
    forget_at_ = out.at.now + forget_interval;
}

void agent_tasks::forget_oldest(effect_batch& out) {
    const auto oldest = acknowledged_.front();
    acknowledged_.pop_front();
    forget(oldest, out);
}

void agent_tasks::forget(task_name task, effect_batch& out) {
    tasks_.erase(task);
    out.lazy.erased.push_back(task);
}

std::optional<instant> agent_tasks::next_deadline() const {
    std::optional<instant> next = retry_at_;
    const auto consider = [&next](instant time) {
        next = next ? std::min(*next, time) : time;
    };
    for (const auto& name : running_) {
        const auto& entry = tasks_.at(name);
        if (entry.phase == task_phase::running) consider(entry.deadline);
    }
    if (!waiting_.empty()) consider(tasks_.at(waiting_.front()).received + options_.wait_max);
    for (const auto& name : waiting_)
        if (const auto& late_from = tasks_.at(name).start_by) consider(*late_from);
    if (!unacknowledged_.empty()) consider(resend_at_);
    if (!acknowledged_.empty()) consider(forget_at_);
    if (!undelivered_.empty()) consider(offer_at_);
    return next;
}

std::vector<agent_tasks::view> agent_tasks::unfinished() const {
    std::vector<view> views;
    for (const auto& [name, entry] : tasks_) {
        const bool ended =
            entry.phase == task_phase::reported || entry.phase == task_phase::acknowledged;
        if (ended || (!entry.on_disk && entry.phase != task_phase::running)) continue;
        views.push_back(
            {.task = &entry.record,
             .running = entry.phase == task_phase::running,
             .activity = to_held_task(entry).activity});
    }
    return views;
}

}  // namespace muster::session
