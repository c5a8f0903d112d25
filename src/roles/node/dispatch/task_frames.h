#pragma once

#include "core/model/job.h"
#include "core/rollout/effect.h"
#include "core/rollout/node_job_state.h"

#include <agent_protocol.pb.h>
#include <optional>
#include <string>

// Tasks and what came of them, between the wire and the model.
namespace muster::dispatch {

// To be begun within that time, if there is one, by the agent's own count.
muster::agent_protocol::Frame task_frame(
    const rollout::attempt_key& task,
    const job_spec& spec,
    std::optional<monotonic::duration> start_within = std::nullopt);
muster::agent_protocol::Frame signal_frame(
    const rollout::attempt_key& task, muster::agent_protocol::TaskSignal::Kind kind);

// The report that made this row is on record, or is not wanted. A task that goes on to its next
// attempt is queued under that one's number.
muster::agent_protocol::Frame report_taken_frame(const task_record& row);
// The payload of an attempt is on record, or nobody will ever want it: another attempt stands in
// its place, or there is no such task.
muster::agent_protocol::Frame payload_taken_frame(const task_record& row, std::uint32_t attempt);
// The agent keeps it apart from the report.
bool has_separate_payload(const task_record& row);

rollout::attempt_key key_of(const muster::agent_protocol::TaskName& name, system_number system);
rollout::outcome outcome_of(const muster::agent_protocol::Report& report);

struct report_limits {
    static constexpr std::size_t reason_bytes_max = 1'000;
    static constexpr std::size_t inline_payload_bytes_max = 4'096;
    static constexpr std::size_t digest_bytes = 32;
};

// The task as it ended, by what its agent says. errc::invalid: no agent of ours says such a thing.
// Times that cannot be are put right; a reason is made fit to be shown.
result<task_record> record_of(
    const muster::agent_protocol::Report& report, system_number system, wall_time now);

// From the end of one attempt to the wait for the next, which is counted from that end by whoever
// reads the row.
void queue_next_attempt(task_record& row);

}  // namespace muster::dispatch
