#pragma once

#include "base/number.h"

namespace muster::placement {

// The version of a zone's slot table; every published change uses the next one.
using epoch = number<struct epoch_tag>;

}  // namespace muster::placement
