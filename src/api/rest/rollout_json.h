#pragma once

#include "api/operations/json_body.h"
#include "core/api/operation.h"
#include "core/model/job.h"

#include <boost/json/object.hpp>

#include <vector>

// How a job spreads over its targets, as requests say it and answers show it: of jobs, and of
// schedules whose runs become jobs.
namespace muster::api {

// Takes over what the body says and leaves the rest as it is. An empty amount, or a rate of zero,
// takes the option away.
// errc::invalid names the member and says what is wanted.
result<void> read_rollout(json_body& body, rollout_options& options);
result<void> read_span(json_body& body, const char* name, monotonic::duration& into);

std::vector<api::parameter> rollout_parameters();

void show_rollout(boost::json::object& to, const rollout_options& options);

}  // namespace muster::api
