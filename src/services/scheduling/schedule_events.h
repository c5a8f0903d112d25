#pragma once

#include "core/model/event.h"
#include "core/model/job.h"
#include "services/scheduling/schedule_runner.h"

#include <cstdint>
#include <string>
#include <vector>

// The events of recurring schedules: what became of each run.
namespace muster::scheduling {

// Whom a run of a recurring schedule reached, and whom not.
struct run_extent {
    std::uint64_t targets = 0;
    std::uint64_t left_out = 0;  // outside of their window
    // Systems whose files were left out: they come by a group's expression.
    std::uint64_t by_expression = 0;
};
// A run that became jobs, at least one.
event_record run_notice(
    const schedule_runner::run& run,
    const std::vector<job_record>& result,
    const run_extent& extent);
// One that did not.
struct skipped_run {
    std::string schedule;
    wall_time planned;
    std::string reason;
    std::uint64_t left_out = 0;
};
event_record skip_notice(const skipped_run& skipped_run, wall_time now);
// Runs that nobody was there to start.
event_record missed_notice(const std::string& schedule, const schedules::due_answer& due);

}  // namespace muster::scheduling
