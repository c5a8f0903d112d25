// What agents report: brought on record, and then they are told so.
#include "roles/node/dispatch/dispatcher.h"
#include "roles/node/dispatch/task_frames.h"

#include <algorithm>
#include <utility>

namespace muster::dispatch {

void dispatcher::take_report(system_number from, const muster::agent_protocol::Report& report) {
    auto row = record_of(report, from, deps_.clock.wall());
    if (!row) return;
    const auto job = deps_.open_jobs.find(row->job);
    if (job != nullptr && !job->who->targets.contains(from)) {
        dismiss(*row);  // it was never asked
        return;
    }
    unrecorded_.remove(row->job, row->system);
    if (job != nullptr && row->state == task_state::completed) learn_from(*row, job->record.spec);
    // Also of a job that has ended, halted perhaps, while this task was in flight: the engine has
    // waited for it, and the task's points are free from now on.
    const auto outcome = outcome_of(report);
    auto unasked = end_in_engine(key_of(report.task(), from), *std::move(row), outcome);
    if (!unasked) return;
    if (job == nullptr) {
        work_.push(late_report{.row = *std::move(unasked), .how = outcome});
    } else {
        record_unasked(job->record, *std::move(unasked), outcome);
    }
}

// What the engine waited for is on its way to the record; anything else is given back.
std::optional<task_record> dispatcher::end_in_engine(
    const rollout::attempt_key& task, task_record row, rollout::outcome outcome) {
    auto reason = row.reason;
    reported_.insert_or_assign(task, std::move(row));
    scheduler_.feed(&rollout::task_scheduler::returned, task, outcome, std::move(reason));
    auto unasked = reported_.extract(task);
    if (unasked.empty()) return std::nullopt;
    return std::move(unasked.mapped());
}

// An agent's clock may have been set while it ran.
void dispatcher::learn_from(const task_record& row, const job_spec& work) {
    const auto took = std::clamp<monotonic::duration>(
        *row.ended - *row.picked_up, monotonic::duration::zero(), work.timeout);
    gates_.learn(work, took);
}

void dispatcher::recorded(
    std::vector<task_record> rows, task_result_writer::write_outcome write_outcome) {
    const bool stands = write_outcome == task_result_writer::write_outcome::as_written;
    for (const auto& row : rows) {
        const system_number system(row.system);
        if (row.state != task_state::picked_up) {
            // What was presumed answers nobody: its agent may be telling what is so this moment.
            if (row.picked_up || row.state == task_state::queued)
                outbox_.add(system, report_taken_frame(row));
            if (is_end(row.state)) payloads_.offered(row);
            // Where another node has the attempt's end on record, that one may want it yet.
            if (row.state == task_state::queued && stands && has_separate_payload(row))
                outbox_.add(system, payload_taken_frame(row, row.attempt - 1));
            continue;
        }
        unsent_.recorded({.job = row.job, .system = system, .attempt = row.attempt});
    }
    send_recorded();
    review_pressure();
    outbox_.flush();
}

// A return that the engine does not wait for: it came twice, or before this node had read what
// there is of the system. It ends the task only if the engine would have ended it.
void dispatcher::record_unasked(const job_record& job, task_record row, rollout::outcome outcome) {
    row.node = options_.self.str();
    const auto terms = rollout::terms_of(job, deps_.clock.wall(), now());
    const bool goes_on = (job.stage == job_stage::open || job.stage == job_stage::paused)
                         && now() < terms.when.expires;
    if (goes_on && rollout::node_job_state::attempts_left(terms, row.attempt, outcome))
        queue_next_attempt(row);
    static_cast<void>(keeper_.submit(std::move(row)));  // refused: the agent says it again
}

// The record has no place for it (any more), and its agent must not keep it for ever.
void dispatcher::dismiss(const task_record& row) {
    const system_number system(row.system);
    outbox_.add(system, report_taken_frame(row));
    if (has_separate_payload(row)) outbox_.add(system, payload_taken_frame(row, row.attempt));
}

}  // namespace muster::dispatch
