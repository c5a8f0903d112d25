#pragma once

#include "core/model/event.h"
#include "core/model/job.h"
#include "services/scheduling/schedule_runner.h"

#include <cstdint>
#include <string>
#include <vector>

// Builds the events of recurring schedules.
namespace muster::scheduling {

// How many systems a run of a recurring schedule reached.
struct run_targets {
    std::uint64_t targets = 0;
    std::uint64_t left_out = 0;  // outside of their window
    // Systems without files: a group expression assigns their channels.
    std::uint64_t by_expression = 0;
};
// A run that created at least one job.
event_record schedule_ran_event(
    const schedule_runner::run& run,
    const std::vector<job_record>& jobs,
    const run_targets& targets);
// A run that created no job.
struct skipped_run {
    std::string schedule;
    wall_time planned;
    std::string reason;
    std::uint64_t left_out = 0;
};
event_record schedule_skipped_event(const skipped_run& skipped, wall_time now);
// Runs that were due while no server was active.
event_record schedule_missed_event(const std::string& schedule, const schedules::due_result& due);

}  // namespace muster::scheduling
