#pragma once

#include "base/result.h"
#include "services/jobs/task_row.h"

#include <cstddef>
#include <string>

namespace muster::jobs {

// What agents may return at most, and a little more.
inline constexpr std::size_t payload_bytes_max = std::size_t{8} * 1024 * 1024;

// The payload as it was made. errc::corrupt when its bytes, or its one zstd frame, are not of the
// size they say, so that nothing in the record can make a server take more memory than that.
result<std::string> unpack(const payload& payload);

}  // namespace muster::jobs
