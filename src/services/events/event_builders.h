#pragma once

#include "core/model/event.h"
#include "core/windows/overrun.h"
#include "services/cluster/topology.h"
#include "services/scheduling/schedule_runner.h"
#include "services/windows/window_snapshot.h"

#include <cstdint>
#include <string>
#include <vector>

// What is told of records that are kept elsewhere. Names come from the records alone, so that every
// server that reads the same record tells the same event.
namespace muster::events {

// The state that each node is in, and each zone that is held, since `since` or later.
std::vector<event_record> node_notices(const cluster::topology& topology, wall_time since);

// Calendars and maintenance schedules that changed, or were removed, at `since` or later.
std::vector<event_record> window_notices(
    const windows::window_snapshot& window_snapshot, wall_time since);

// One for a window, whichever job was seen first.
event_record overrun_notice(const windows::overrun& overrun, std::uint64_t systems);

// Whom a run of a recurring schedule reached, and whom not.
struct run_extent {
    std::uint64_t targets = 0;
    std::uint64_t left_out = 0;  // outside of their window
    std::uint64_t by_expression =
        0;  // of whom files were left out (services/configuration/deployment.h)
};
// A run that became jobs, at least one.
event_record run_notice(
    const scheduling::schedule_runner::run& run,
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

}  // namespace muster::events
