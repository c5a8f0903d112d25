// What agents report: brought on record, and then they are told so.
#include "core/jobs/work_kind.h"
#include "roles/dispatch/dispatcher.h"
#include "roles/dispatch/task_frames.h"

#include <algorithm>
#include <utility>

namespace muster::dispatch {

using muster::channel::Frame;

void dispatcher::take_report(system_number from, const muster::channel::Report& report) {
    auto row = record_of(report, from, around_.time.wall());
    if (!row) return;
    const auto job = around_.book.find(row->job);
    if (job != nullptr && !job->who->targets.contains(from)) {
        dismiss(*row);  // it was never asked
        return;
    }
    unrecorded_.erase({row->job, row->system});
    if (job != nullptr && row->state == task_state::completed) learn_from(*row, job->record.spec);
    // Also of a job that has ended, halted perhaps, while this task was in flight: the engine has
    // waited for it, and the task's points are free from now on.
    if (end_in_engine(from, report, row->reason)) return;
    if (job == nullptr) {
        push_errand(late_report{.system = from, .report = report});
        return;
    }
    record_unasked(job->record, *std::move(row), outcome_of(report));
}

// Whether the engine waited for it, and it is on its way to the record.
bool dispatcher::end_in_engine(
    system_number from, const muster::channel::Report& report, const std::string& reason) {
    const auto task = key_of(report.task(), from);
    in_hand_ = &report;
    const auto effects = engine_.returned(task, outcome_of(report), reason, now());
    const bool concluded = std::ranges::any_of(effects, [&task](const rollout::effect& each) {
        const auto* end = std::get_if<rollout::conclude>(&each);
        return end != nullptr && end->task == task;
    });
    perform(effects);
    in_hand_ = nullptr;
    return concluded;
}

// An agent's clock may have been set while it ran.
void dispatcher::learn_from(const task_record& row, const job_spec& work) {
    const auto took = std::clamp<monotonic::duration>(
        *row.ended - *row.picked_up, monotonic::duration::zero(), work.timeout);
    durations_.add(jobs::work_kind(work), took);
}

void dispatcher::recorded(std::vector<task_record> rows, return_keeper::standing how) {
    const bool stands = how == return_keeper::standing::as_written;
    for (const auto& each : rows) {
        if (each.state != task_state::picked_up) {
            // What was presumed answers nobody: its agent may be telling what is so this moment.
            if (each.picked_up || each.state == task_state::queued) acknowledge(each);
            if (is_end(each.state)) payloads_.offered(each);
            // Where another node has the attempt's end on record, that one may want it yet.
            if (each.state == task_state::queued && stands) forgo_payload(each, each.attempt - 1);
            continue;
        }
        const auto due = starts_.find({each.job, each.system});
        if (due == starts_.end() || due->second != each.attempt) continue;
        unsent_[{each.job, each.system}] = each.attempt;
        starts_.erase(due);
    }
    send_recorded();
    review_pressure();
    flush();
}

// A return that the engine does not wait for: it came twice, or before this node had read what
// there is of the system. It ends the task only if the engine would have ended it.
void dispatcher::record_unasked(const job_record& job, task_record row, rollout::outcome how) {
    row.node = how_.self.str();
    const auto terms = rollout::terms_of(job, around_.time.wall(), now());
    const bool goes_on = (job.stage == job_stage::open || job.stage == job_stage::paused)
                         && now() < terms.when.expires;
    if (goes_on && rollout::job_share::attempts_left(terms, row.attempt, how))
        queue_next_attempt(row);
    static_cast<void>(keeper_.submit(std::move(row)));  // refused: the agent says it again
}

// A task that goes on to its next attempt is queued under that one's number.
void dispatcher::acknowledge(const task_record& row) {
    Frame frame;
    auto& name = *frame.mutable_reports_taken()->add_tasks();
    name.set_job(row.job.value());
    name.set_attempt(row.state == task_state::queued ? row.attempt - 1 : row.attempt);
    send(system_number(row.system), std::move(frame));
}

// Nobody will ever want it: another attempt stands in its place, or there is no such task.
void dispatcher::forgo_payload(const task_record& row, std::uint32_t attempt) {
    if (row.digest.empty() || !row.inline_payload.empty()) return;
    Frame frame;
    auto& name = *frame.mutable_payload_taken()->mutable_task();
    name.set_job(row.job.value());
    name.set_attempt(attempt);
    send(system_number(row.system), std::move(frame));
}

// The record has no place for it (any more), and its agent must not keep it for ever.
void dispatcher::dismiss(const task_record& row) {
    acknowledge(row);
    forgo_payload(row, row.attempt);
}

async<void> dispatcher::run(late_report wanted) {
    CO_TRY(auto row, record_of(wanted.report, wanted.system, around_.time.wall()));
    const auto who = co_await around_.records.audience(row.job);
    const bool gone = !who && who.error().code() == errc::not_found;
    if (!who && !gone) co_return fail(who.error());
    if (gone || !who->targets.contains(wanted.system)) {
        dismiss(row);
        co_return result<void>();
    }
    const auto job = co_await around_.records.find(row.job);
    if (!job && job.error().code() != errc::not_found) co_return fail(job.error());
    if (!job) dismiss(row);
    if (job) record_unasked(job->record, std::move(row), outcome_of(wanted.report));
    co_return result<void>();
}

}  // namespace muster::dispatch
