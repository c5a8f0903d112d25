#pragma once

#include "base/result.h"
#include "services/jobs/task_row.h"

#include <cstddef>
#include <string>

namespace muster::jobs {

// Slightly more than the maximum output of an agent.
inline constexpr std::size_t payload_bytes_max = std::size_t{8} * 1024 * 1024;

// Returns the uncompressed payload. errc::corrupt when the content does not have the recorded size,
// so that a bad record cannot exhaust the memory of a server.
result<std::string> unpack(const payload& payload);

}  // namespace muster::jobs
