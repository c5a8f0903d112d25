#pragma once

#include "base/time.h"

#include <string>

namespace muster::agent {

// "2031-05-04T09:00:00.123Z"
std::string to_text(wall_time moment);

}  // namespace muster::agent
