#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/model/job.h"

#include <boost/json/object.hpp>

namespace muster::jobs {

// The arguments of chain.run: `steps`, a list of objects with `function`, `arguments` and `timeout`
// ("10m"). Each step is checked as a job of its own would be; errc::invalid names it by its number.
// A chain within a chain is refused.
result<void> check_chain(const boost::json::object& arguments);

// How long an attempt may take when nobody says so: an hour, and of a chain the time limits of all
// its steps.
monotonic::duration usual_time(const job_spec& work);

}  // namespace muster::jobs
