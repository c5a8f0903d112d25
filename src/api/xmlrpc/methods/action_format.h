#pragma once

#include "api/xmlrpc/methods/action_service.h"
#include "core/model/job.h"

#include <string>
#include <string_view>

// Names and counts of actions in the compatible API.
namespace muster::xmlrpc_api {

std::string action_type(std::string_view function);  // "Run an arbitrary script"
std::string action_name(const job_record& job);      // its note, else its type
wall_time earliest_start(const job_record& job);

std::string_view status_text(task_state state);  // "Picked Up"
// The outcome of a task as a text that is never empty.
std::string outcome_text(task_state state, const task_record* row);

// Numbers of systems by state, as clients count: expired tasks have failed, and cancelled tasks are
// not counted.
struct action_counts {
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t in_progress = 0;
};
async<action_counts> read_counts(const api::job_detail_reader& reader, jobs::stored_job job);

}  // namespace muster::xmlrpc_api
