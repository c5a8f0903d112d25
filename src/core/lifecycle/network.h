#pragma once

#include "core/model/network.h"

namespace muster::lifecycle {

// Accept rules speak of networks; what these are is the model's business.
using muster::address_bytes;
using muster::network;
using muster::parse_address;

}  // namespace muster::lifecycle
