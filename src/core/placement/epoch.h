#pragma once

#include "base/number.h"

namespace muster::placement {

// The logical time of a zone's slot table: every published change of it takes the next one.
using epoch = number<struct epoch_tag>;

}  // namespace muster::placement
