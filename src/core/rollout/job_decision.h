#pragma once

#include "base/time.h"
#include "core/model/job.h"
#include "core/rollout/node_job_state.h"
#include "core/rollout/quota.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::rollout {

// The tasks of a job, summed over all nodes.
struct job_totals {
    std::uint64_t queued = 0;
    std::uint64_t running = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t canaries_completed = 0;
    // When the last canary completed; set only if the job waits after its canaries.
    std::optional<wall_time> canaries_ended = std::nullopt;
    // Whether each slot is counted once, by its owner. Otherwise slots are moving and the sums are
    // estimates.
    bool exact = false;

    friend bool operator==(const job_totals&, const job_totals&) = default;
};
job_totals totals_of(const std::vector<node_view>& nodes);

// What the coordinator does with a job as a whole.
enum class job_decision_kind {
    none,
    permit_all,  // the canaries succeeded and the wait after them is over
    halt,
    end,
};
struct job_decision {
    job_decision_kind kind = job_decision_kind::none;
    job_stage stage = job_stage::open;  // for halt and end
    std::string reason;                 // for operators

    friend bool operator==(const job_decision&, const job_decision&) = default;
};

struct job_time {
    bool expired = false;  // the job's period has ended
    wall_time now = {};
};
// Decides by exact totals only: while slots move, tasks that are counted twice or not at all could
// end a job too early. Each node stops a job by itself if too many of its own tasks fail.
job_decision decide(
    const job_record& job,
    const permission& permission,
    const job_totals& totals,
    const job_time& time);

// When the systems that are no canaries may start; nothing while that is unknown.
std::optional<wall_time> rest_start_time(
    const job_spec& spec, std::optional<wall_time> canaries_ended);

}  // namespace muster::rollout
