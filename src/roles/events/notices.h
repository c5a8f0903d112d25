#pragma once

#include "core/model/event.h"
#include "core/windows/overrun.h"
#include "roles/cluster/topology.h"
#include "roles/windows/schedule_runner.h"
#include "roles/windows/window_view.h"

#include <cstdint>
#include <string>
#include <vector>

// What is told of records that are kept elsewhere. Names come from the records alone, so that every
// server that reads the same record tells the same event.
namespace muster::events {

// The state that each node is in, and each zone that is held, since `since` or later.
std::vector<event_record> node_notices(const cluster::topology& known, wall_time since);

// Calendars and maintenance schedules that changed, or were removed, at `since` or later.
std::vector<event_record> window_notices(const windows::window_view& known, wall_time since);

// One for a window, whichever job was seen first (JOB-55).
event_record overrun_notice(const windows::overrun& what, std::uint64_t systems);

// A run of a recurring schedule that became jobs, at least one. `left_out` systems were outside of
// their window.
event_record run_notice(
    const windows::schedule_runner::run& run,
    const std::vector<job_record>& made,
    std::uint64_t left_out);
// One that did not (JOB-59).
struct skipped_run {
    std::string schedule;
    wall_time planned;
    std::string reason;
    std::uint64_t left_out = 0;
};
event_record skip_notice(const skipped_run& what, wall_time now);
// Runs that nobody was there to start.
event_record missed_notice(const std::string& schedule, const schedules::due_answer& due);

}  // namespace muster::events
