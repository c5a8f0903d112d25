#pragma once

#include "base/id.h"
#include "base/number.h"

namespace muster {

// A server's name in the cluster, chosen by the operator.
using node_id = id<struct node_id_tag>;

// A server's number, assigned when it joins and never reused. Shorter than the name in tables.
using node_number = number<struct node_number_tag>;

using zone_id = id<struct zone_id_tag>;

}  // namespace muster
