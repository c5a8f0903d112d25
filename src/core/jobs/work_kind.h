#pragma once

#include "core/model/job.h"

#include <string>

namespace muster::jobs {

// Identifies work of similar duration: the function and a digest of its arguments, which may be
// large.
std::string work_kind(const job_spec& spec);

}  // namespace muster::jobs
