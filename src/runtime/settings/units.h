#pragma once

#include "base/units.h"

namespace muster::runtime {

using muster::format_duration;
using muster::format_size;
using muster::parse_duration;
using muster::parse_size;

}  // namespace muster::runtime
