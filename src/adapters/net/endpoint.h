#pragma once

#include "base/endpoint.h"

namespace muster::net {

using muster::endpoint;
using muster::parse_endpoint;

}  // namespace muster::net
