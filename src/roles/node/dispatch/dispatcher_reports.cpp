// dispatcher: reports of agents are stored, then acknowledged.
#include "roles/node/dispatch/dispatcher.h"
#include "roles/node/dispatch/task_frames.h"

#include <algorithm>
#include <utility>

namespace muster::dispatch {

void dispatcher::on_report(system_number system, const muster::agent_protocol::Report& report) {
    auto row = record_of(report, system, deps_.clock.wall());
    if (!row) return;
    const auto job = deps_.open_jobs.find(row->job);
    if (job != nullptr && !job->targets->systems.contains(system)) {
        acknowledge_only(*row);  // the system is not a target
        return;
    }
    unrecorded_.remove(row->job, row->system);
    if (job != nullptr && row->state == task_state::completed) add_duration(*row, job->record.spec);
    // Also for a job that ended while this task was in flight: the scheduler waits for the report
    // to free the task's points.
    const auto outcome = outcome_of(report);
    auto unexpected = end_in_scheduler(key_of(report.task(), system), *std::move(row), outcome);
    if (!unexpected) return;
    if (job == nullptr) {
        work_.push(late_report{.row = *std::move(unexpected), .outcome = outcome});
    } else {
        record_unexpected(job->record, *std::move(unexpected), outcome);
    }
}

// Submits the row if the scheduler expected the report; otherwise returns it.
std::optional<task_record> dispatcher::end_in_scheduler(
    const rollout::attempt_key& task, task_record row, rollout::outcome outcome) {
    auto reason = row.reason;
    reported_.insert_or_assign(task, std::move(row));
    scheduler_.feed(&rollout::task_scheduler::on_returned, task, outcome, std::move(reason));
    auto unexpected = reported_.extract(task);
    if (unexpected.empty()) return std::nullopt;
    return std::move(unexpected.mapped());
}

// The agent's clock may have been changed during the task.
void dispatcher::add_duration(const task_record& row, const job_spec& work) {
    const auto duration = std::clamp<monotonic::duration>(
        *row.ended - *row.picked_up, monotonic::duration::zero(), work.timeout);
    gates_.add_duration(work, duration);
}

void dispatcher::on_recorded(
    std::vector<task_record> rows, task_result_writer::write_outcome write_outcome) {
    const bool is_as_written = write_outcome == task_result_writer::write_outcome::as_written;
    for (const auto& row : rows) {
        const system_number system(row.system);
        if (row.state != task_state::picked_up) {
            // A presumed result acknowledges no report: the agent may just be sending the real one.
            if (row.picked_up || row.state == task_state::queued)
                outbox_.add(system, report_taken_frame(row));
            if (is_final(row.state)) payloads_.offer(row);
            // If another node stored the end of the attempt, that node may still need the payload.
            if (row.state == task_state::queued && is_as_written && has_separate_payload(row))
                outbox_.add(system, payload_taken_frame(row, row.attempt - 1));
            continue;
        }
        unsent_.on_recorded({.job = row.job, .system = system, .attempt = row.attempt});
    }
    send_recorded();
    update_pressure();
    outbox_.flush();
}

// Stores a report that the scheduler does not expect: a duplicate, or one that arrived before this
// node loaded the tasks. It ends the task only if the scheduler would have ended it.
void dispatcher::record_unexpected(
    const job_record& job, task_record row, rollout::outcome outcome) {
    row.node = options_.self.str();
    const auto terms = rollout::terms_of(job, deps_.clock.wall(), now());
    const bool is_active = (job.stage == job_stage::open || job.stage == job_stage::paused)
                           && now() < terms.period.expires;
    if (is_active && rollout::node_job_state::has_attempts_left(terms, row.attempt, outcome))
        queue_next_attempt(row);
    static_cast<void>(
        result_writer_.submit(std::move(row)));  // if refused, the agent repeats the report
}

// The report is not stored, but the agent must not keep it for ever.
void dispatcher::acknowledge_only(const task_record& row) {
    const system_number system(row.system);
    outbox_.add(system, report_taken_frame(row));
    if (has_separate_payload(row)) outbox_.add(system, payload_taken_frame(row, row.attempt));
}

}  // namespace muster::dispatch
