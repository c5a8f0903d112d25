#pragma once

#include "core/model/job.h"
#include "runtime/json/record_reader.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string_view>

// Reads and writes rollout options as members of a JSON record: of a job, or of a schedule that
// creates jobs.
namespace muster::jobs {

void write_rollout(boost::json::object& record, const rollout_options& options);
rollout_options read_rollout(runtime::json_record_reader& reader);

// Durations are stored in milliseconds. read_duration accepts at most a year.
std::int64_t to_milliseconds(monotonic::duration duration);
monotonic::duration read_duration(runtime::json_record_reader& reader, std::string_view name);

}  // namespace muster::jobs
