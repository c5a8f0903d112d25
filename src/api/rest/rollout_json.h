#pragma once

#include "api/operations/json_body.h"
#include "core/api/operation.h"
#include "core/model/job.h"

#include <boost/json/object.hpp>

#include <vector>

// JSON forms of rollout options, for jobs and recurring schedules.
namespace muster::api {

// Sets the options given in the body and keeps the others. An empty amount, or a rate of zero,
// removes the option. errc::invalid names the member and the expected value.
result<void> read_rollout(json_body& body, rollout_options& options);
result<void> read_span(json_body& body, const char* name, monotonic::duration& duration);

std::vector<api::parameter> rollout_parameters();

void show_rollout(boost::json::object& object, const rollout_options& options);

}  // namespace muster::api
