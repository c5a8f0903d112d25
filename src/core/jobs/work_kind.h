#pragma once

#include "core/model/job.h"

#include <string>

namespace muster::jobs {

// What takes about as long each time: the same function with the same arguments. The arguments as
// their digest, because they may be large.
std::string work_kind(const job_spec& spec);

}  // namespace muster::jobs
