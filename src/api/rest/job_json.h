#pragma once

#include "core/api/shape.h"
#include "core/jobs/outcome_groups.h"
#include "core/jobs/task_counts.h"
#include "core/model/job.h"
#include "core/windows/forecast.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::api {

// How far a job is.
struct job_progress {
    jobs::task_counts counts;
    std::optional<double> rate;  // of ends, a second
    std::optional<monotonic::duration> time_left;
    std::vector<windows::window_wait> waiting = {};  // for a maintenance window
};

// A job as the API tells it: what was asked for, and how it stands. Without progress its counts are
// null: ask for the job itself.
boost::json::object job_json(const job_record& job, const std::optional<job_progress>& progress);
boost::json::object progress_json(const job_record& job, const job_progress& progress);
api::shape job_shape();

// Systems that wait for a maintenance window.
boost::json::object wait_json(const windows::window_wait& wait);

// A task as it counts: `row` is null for one without a record.
boost::json::object task_json(task_state state, const task_record* row);
boost::json::object group_json(const jobs::outcome_group& group);

// What a task returned: JSON when it is that, otherwise a text.
boost::json::value output_json(std::string_view payload);

std::string address_of(job_id job);

}  // namespace muster::api
