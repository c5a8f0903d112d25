#pragma once

#include "base/id.h"
#include "base/number.h"

namespace muster {

// A server's name in the cluster, chosen by the operator.
using node_id = id<struct node_id_tag>;

// A server's number: given once when it joins, never reused, short enough for tables.
using node_number = number<struct node_number_tag>;

using zone_id = id<struct zone_id_tag>;

}  // namespace muster
