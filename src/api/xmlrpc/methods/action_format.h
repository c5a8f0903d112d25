#pragma once

#include "api/xmlrpc/methods/action_service.h"
#include "core/model/job.h"

#include <string>
#include <string_view>

// How clients of the compatible API call what jobs do.
namespace muster::xmlrpc_api {

std::string action_type(std::string_view function);  // "Run an arbitrary script"
std::string action_name(const job_record& job);      // its note, else its type
wall_time earliest_start(const job_record& job);

std::string_view status_word(task_state state);  // "Picked Up"
// What became of a task, in a sentence that is never empty.
std::string outcome_of(task_state state, const task_record* row);

// How many systems of an action stand where, as clients count: what could not be begun in time has
// failed, and what was cancelled is none of them.
struct action_counts {
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t in_progress = 0;
};
async<action_counts> counts_of(const api::job_detail_reader& reader, jobs::stored_job job);

}  // namespace muster::xmlrpc_api
