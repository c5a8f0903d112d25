#pragma once

#include "core/api/shape.h"

namespace muster::api {

// The same with a time wherever a text stands in whose place a time is wanted, at any depth. A text
// that is no time stays.
value with_times(value input, const shape& shape);

}  // namespace muster::api
