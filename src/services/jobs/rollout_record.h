#pragma once

#include "core/model/job.h"
#include "runtime/json/record_reader.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string_view>

// How a job spreads over its targets, among the members of a stored JSON record: that of a job, and
// that of a schedule whose runs become jobs.
namespace muster::jobs {

void put_rollout(boost::json::object& to, const rollout_options& options);
rollout_options take_rollout(runtime::json_record_reader& in);

// In milliseconds; at most a year.
std::int64_t stored_span(monotonic::duration span);
monotonic::duration take_span(runtime::json_record_reader& in, std::string_view name);

}  // namespace muster::jobs
