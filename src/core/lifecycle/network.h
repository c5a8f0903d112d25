#pragma once

#include "core/model/network.h"

namespace muster::lifecycle {

// Accept rules use the network types of the model.
using muster::address_bytes;
using muster::network;
using muster::parse_address;

}  // namespace muster::lifecycle
