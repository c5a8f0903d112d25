#pragma once

#include "core/model/job.h"
#include "core/rollout/effect.h"
#include "core/rollout/node_job_state.h"

#include <agent_protocol.pb.h>
#include <optional>
#include <string>

// Converts tasks and reports between protocol frames and records.
namespace muster::dispatch {

// `start_within`: measured by the agent's clock.
muster::agent_protocol::Frame task_frame(
    const rollout::attempt_key& task,
    const job_spec& spec,
    std::optional<monotonic::duration> start_within = std::nullopt);
muster::agent_protocol::Frame signal_frame(
    const rollout::attempt_key& task, muster::agent_protocol::TaskSignal::Kind kind);

// Acknowledges the report of this row: it is stored or not needed. A queued row carries the number
// of the next attempt.
muster::agent_protocol::Frame report_taken_frame(const task_record& row);
// Acknowledges the payload of an attempt: it is stored or not needed.
muster::agent_protocol::Frame payload_taken_frame(const task_record& row, std::uint32_t attempt);
// Whether the payload is separate from the report.
bool has_separate_payload(const task_record& row);

rollout::attempt_key key_of(const muster::agent_protocol::TaskName& name, system_number system);
rollout::outcome outcome_of(const muster::agent_protocol::Report& report);

struct report_limits {
    static constexpr std::size_t reason_bytes_max = 1'000;
    static constexpr std::size_t inline_payload_bytes_max = 4'096;
    static constexpr std::size_t digest_bytes = 32;
};

// The ended task as its agent reports it. errc::invalid for a malformed report. Implausible times
// are corrected; the reason is shortened and cleaned for display.
result<task_record> record_of(
    const muster::agent_protocol::Report& report, system_number system, wall_time now);

// Turns an ended attempt into a queued next attempt. `ended` stays: the retry wait counts from it.
void queue_next_attempt(task_record& row);

}  // namespace muster::dispatch
