#include "core/session/agent_tasks.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::session {
namespace {

using stage = journaled_task::journal_state;

constexpr std::chrono::seconds disk_pause{5};

task_result refused_result(std::string reason) {
    return {.outcome = task_outcome::refused, .exit_code = -1, .reason = std::move(reason)};
}

// The start deadline on the monotonic clock. Journals have wall times only. If the clock was set
// back, the elapsed time is unknown and the deadline has passed.
std::optional<instant> start_by_of(const journaled_task& task, agent_tasks::moment at) {
    if (task.request.start_within == monotonic::duration::zero()) return std::nullopt;
    if (at.wall < task.since) return at.now;
    return at.now + task.request.start_within - (at.wall - task.since);
}

}  // namespace

task_effects agent_tasks::start(
    std::vector<journaled_task> journaled_tasks, std::string boot, moment at) {
    MUSTER_ASSERT(tasks_.empty());
    boot_ = std::move(boot);
    effect_batch out{.at = at};
    std::ranges::sort(journaled_tasks, {}, &journaled_task::since);
    for (auto& task : journaled_tasks) {
        const auto name = task.request.name;
        entry entry{.record = std::move(task), .on_disk = true, .received = at.now};
        resume(tasks_.insert_or_assign(name, std::move(entry)).first->second, out);
    }
    forget_expired(out);
    start_next(out);
    return to_effects(std::move(out));
}

// Continues a task where the last process of the agent left it.
void agent_tasks::resume(entry& entry, effect_batch& out) {
    const auto& stored = entry.record;
    entry.started = stored.report.started;
    entry.start_by = start_by_of(stored, out.at);
    switch (stored.state) {
        case stage::waiting:
            entry.phase = task_phase::waiting;
            if (is_late(entry, out.at)) return end_late(entry, stored.starts, out);
            if (stored.since + options_.wait_max <= out.at.wall)
                return report(
                    entry, refused_result("not started in time: the agent was not running"), out);
            waiting_.push_back(stored.request.name);
            return;
        case stage::running:
            break;
        case stage::reported:
            entry.phase = task_phase::reported;
            unacknowledged_.insert(stored.request.name);
            return;
        case stage::acknowledged:
            entry.phase = task_phase::acknowledged;
            remember(entry, out.at);
            return;
    }
    if (stored.nature == task_nature::chain) return resume_chain(entry, out);
    if (stored.nature == task_nature::reboots) return resume_reboot(entry, out);
    if (stored.request.may_run_again && stored.starts < options_.starts_max) {
        entry.phase = task_phase::waiting;
        waiting_.push_back(stored.request.name);
        return;
    }
    report(
        entry,
        {.outcome = task_outcome::interrupted,
         .exit_code = -1,
         .reason = "interrupted: the agent stopped while the task was running"},
        out);
}

void agent_tasks::resume_reboot(entry& entry, effect_batch& out) {
    const auto& stored = entry.record;
    if (stored.boot != boot_) return report(entry, {.outcome = task_outcome::succeeded}, out);
    const auto remaining = std::clamp<monotonic::duration>(
        entry.started + stored.request.timeout - out.at.wall, {}, stored.request.timeout);
    entry.phase = task_phase::running;
    entry.has_process = false;
    entry.deadline = out.at.now + remaining;
    running_.insert(stored.request.name);
    ++places_used_;
}

task_effects agent_tasks::on_received(std::vector<received_task> tasks, moment at) {
    effect_batch out{.at = at};
    for (auto& task : tasks) accept(std::move(task), out);
    return to_effects(std::move(out));
}

void agent_tasks::accept(received_task task, effect_batch& out) {
    const auto name = task.request.name;
    if (const auto it = tasks_.find(name); it != tasks_.end()) return send_status(it->second, out);
    if (unacknowledged_.size() >= options_.unacknowledged_max) {
        // The refusal is not stored; the node asks again after it has acknowledged some reports.
        const task_report report{
            .task = name,
            .result = refused_result("limit of unacknowledged task reports reached on this system"),
            .started = out.at.wall,
            .ended = out.at.wall};
        if (attached_) out.reports.reports.push_back(report);
        return;
    }
    entry received{
        .record =
            {.request = std::move(task.request),
             .nature = task.nature,
             .since = out.at.wall,
             .chain = {.steps = std::move(task.steps)}},
        .received = out.at.now};
    received.start_by = start_by_of(received.record, out.at);
    entry& stored = tasks_.emplace(name, std::move(received)).first->second;
    if (task.nature == task_nature::harmless) return run(stored, out);
    if (may_start() && waiting_.empty()) return begin(stored, out);
    if (waiting_.size() >= options_.waiting_max)
        return report_unjournaled(
            stored, refused_result("limit of waiting tasks reached on this system"), out);
    out.durable.push_back(stored.record);
}

// Sends the state of a task that was requested again.
void agent_tasks::send_status(const entry& entry, effect_batch& out) {
    if (!attached_) return;
    if (entry.phase == task_phase::reported || entry.phase == task_phase::acknowledged) {
        out.reports.reports.push_back(entry.record.report);
    } else if (entry.on_disk || entry.phase == task_phase::running) {
        out.held_tasks.tasks.push_back(to_held_task(entry));
    }
}

bool agent_tasks::may_start() const {
    return places_used_ < options_.running_max && overload_.empty() && !retry_at_;
}

void agent_tasks::begin(entry& entry, effect_batch& out) {
    entry.phase = task_phase::starting;
    entry.record.state = stage::running;
    entry.record.boot = boot_;
    entry.record.report.started = out.at.wall;
    entry.record.chain.begun = entry.record.nature == task_nature::chain;
    if (entry.record.chain.begun) entry.record.chain.since = out.at.wall;
    ++entry.record.starts;
    running_.insert(entry.record.request.name);
    ++places_used_;
    out.durable.push_back(entry.record);
}

void agent_tasks::run(entry& entry, effect_batch& out) {
    entry.phase = task_phase::running;
    const auto& stored = entry.record;
    // An earlier process may have started the chain; its time limit counts from then.
    const bool is_chain = stored.nature == task_nature::chain;
    entry.has_process = true;
    entry.started = is_chain ? stored.report.started : out.at.wall;
    entry.deadline =
        out.at.now
        + std::clamp<monotonic::duration>(
            entry.started + stored.request.timeout - out.at.wall, {}, stored.request.timeout);
    running_.insert(stored.request.name);
    out.actions.emplace_back(run_task{.request = stored.request, .chain = stored.chain});
}

void agent_tasks::release(entry& entry) {
    const bool counted = running_.erase(entry.record.request.name) > 0
                         && entry.record.nature != task_nature::harmless;
    if (counted) --places_used_;
}

void agent_tasks::start_next(effect_batch& out) {
    while (may_start() && !waiting_.empty()) {
        const auto name = waiting_.front();
        waiting_.pop_front();
        entry& entry = tasks_.at(name);
        if (is_late(entry, out.at)) {
            end_late(entry, entry.record.starts, out);
        } else {
            begin(entry, out);
        }
    }
}

task_effects agent_tasks::on_stored(std::uint64_t ticket, const result<void>& outcome, moment at) {
    effect_batch out{.at = at};
    const auto it = storing_.find(ticket);
    if (it == storing_.end()) return {};
    const auto names = std::move(it->second);
    storing_.erase(it);
    if (!outcome) retry_at_ = at.now + disk_pause;
    for (const auto& name : names) {
        const auto task_it = tasks_.find(name);
        if (task_it != tasks_.end()) finish_storing(task_it->second, outcome, out);
    }
    start_next(out);
    return to_effects(std::move(out));
}

void agent_tasks::finish_storing(entry& entry, const result<void>& outcome, effect_batch& out) {
    const bool was_on_disk = std::exchange(entry.on_disk, entry.on_disk || outcome.has_value());
    const auto name = entry.record.request.name;
    switch (entry.phase) {
        case task_phase::accepting:
            if (!outcome)
                return report_unjournaled(entry, refused_result(outcome.error().detail()), out);
            if (entry.forced_outcome != task_outcome::unknown)
                return report(entry, {.outcome = entry.forced_outcome}, out);
            entry.phase = task_phase::waiting;
            waiting_.push_back(name);
            return send_status(entry, out);
        case task_phase::starting:
            // Storing may have been slow. A resumed chain has started earlier, so it cannot be
            // late.
            if (outcome && entry.forced_outcome == task_outcome::unknown) {
                if (!entry.resumed && is_late(entry, out.at))
                    return end_late(entry, entry.record.starts - 1, out);
                send_status(entry, out);
                return run(entry, out);
            }
            if (outcome) {
                release(entry);
                return report(entry, {.outcome = entry.forced_outcome}, out);
            }
            return fail_start(entry, outcome.error(), was_on_disk, out);
        case task_phase::reporting:
            entry.phase = task_phase::reported;
            entry.report_unstored = !outcome;
            unacknowledged_.insert(name);
            return send(entry, out);
        case task_phase::reported:
            entry.report_unstored = !outcome;
            return;
        case task_phase::running:
            if (std::exchange(entry.storing_progress, false))
                out.actions.emplace_back(continue_chain{
                    .task = name, .failure = outcome ? "" : outcome.error().detail()});
            return;
        case task_phase::waiting:
        case task_phase::acknowledged:
            return;
    }
}

// The start of the task could not be stored.
void agent_tasks::fail_start(
    entry& entry, const error& cause, bool was_on_disk, effect_batch& out) {
    if (entry.resumed) return fail_resumed(entry, cause, out);
    release(entry);
    if (!was_on_disk) return report_unjournaled(entry, refused_result(cause.detail()), out);
    // On disk the task waits, so it must wait here too.
    entry.record.state = stage::waiting;
    --entry.record.starts;
    entry.phase = task_phase::waiting;
    waiting_.push_front(entry.record.request.name);
}

task_effects agent_tasks::on_ended(task_name task, task_result result, moment at) {
    const auto it = tasks_.find(task);
    // An abandoned or unknown task: its stored payload belongs to no report.
    if (it == tasks_.end() || it->second.phase != task_phase::running) {
        const bool orphaned =
            result.payload_stored
            && (it == tasks_.end() || !it->second.record.report.result.payload_stored);
        return orphaned ? task_effects{discard_payload{.task = task}} : task_effects{};
    }
    effect_batch out{.at = at};
    entry& entry = it->second;
    if (entry.forced_outcome != task_outcome::unknown) {
        result.outcome = entry.forced_outcome;
        result.reason = entry.forced_outcome == task_outcome::timed_out ? "task timed out"
                                                                        : "cancelled while running";
        if (entry.record.nature == task_nature::chain)
            result.reason += ", " + describe_step(entry.record.chain);
    }
    report(entry, std::move(result), out);
    start_next(out);
    return to_effects(std::move(out));
}

void agent_tasks::await_boot(task_name task) {
    const auto it = tasks_.find(task);
    if (it != tasks_.end() && it->second.record.nature == task_nature::reboots)
        it->second.has_process = false;
}

void agent_tasks::set_result(entry& entry, task_result result, moment at) {
    release(entry);
    std::erase(waiting_, entry.record.request.name);
    const bool begun = entry.started != wall_time();
    if (result.reason.empty() && result.outcome == task_outcome::cancelled)
        result.reason = "cancelled before the task started";
    entry.record.report = {
        .task = entry.record.request.name,
        .result = std::move(result),
        .started = begun ? entry.started : at.wall,
        .ended = at.wall};
    entry.record.state = stage::reported;
    entry.record.request.arguments = {};
    entry.record.chain = {};
}

// Stores the report; finish_storing() sends it.
void agent_tasks::report(entry& entry, task_result result, effect_batch& out) {
    set_result(entry, std::move(result), out.at);
    if (entry.record.nature == task_nature::harmless) {
        entry.phase = task_phase::reported;
        unacknowledged_.insert(entry.record.request.name);
        out.lazy.put.push_back(entry.record);
        return send(entry, out);
    }
    entry.phase = task_phase::reporting;
    out.durable.push_back(entry.record);
}

// For a task that is not on disk: if the agent stops now, the task was never started.
void agent_tasks::report_unjournaled(entry& entry, task_result result, effect_batch& out) {
    set_result(entry, std::move(result), out.at);
    entry.phase = task_phase::reported;
    unacknowledged_.insert(entry.record.request.name);
    out.lazy.put.push_back(entry.record);
    send(entry, out);
}

void agent_tasks::send(entry& entry, effect_batch& out) {
    if (unacknowledged_.size() == 1) resend_at_ = out.at.now + options_.resend_interval;
    if (!attached_) return;
    entry.sent = out.at.now;
    out.reports.reports.push_back(entry.record.report);
}

task_effects agent_tasks::to_effects(effect_batch batch) {
    task_effects out;
    if (!batch.durable.empty()) {
        store_tasks store{
            .ticket = ++last_ticket_, .durable = true, .put = std::move(batch.durable)};
        auto& names = storing_[store.ticket];
        for (const auto& task : store.put) names.push_back(task.request.name);
        out.emplace_back(std::move(store));
    }
    if (!batch.lazy.put.empty() || !batch.lazy.erased.empty())
        out.emplace_back(std::move(batch.lazy));
    out.insert(
        out.end(),
        std::make_move_iterator(batch.actions.begin()),
        std::make_move_iterator(batch.actions.end()));
    if (batch.held_tasks.complete || !batch.held_tasks.tasks.empty())
        out.emplace_back(std::move(batch.held_tasks));
    if (!batch.reports.reports.empty()) out.emplace_back(std::move(batch.reports));
    return out;
}

}  // namespace muster::session
