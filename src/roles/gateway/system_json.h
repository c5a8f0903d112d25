#pragma once

#include "core/model/system.h"
#include "roles/cluster/topology.h"
#include "roles/presence/presence.h"

#include <boost/json/object.hpp>

#include <optional>

namespace muster::gateway {

// A system as the API tells it: its record, and where it was last seen.
boost::json::object system_json(
    const system_record& record,
    const std::optional<presence::sighting>& seen,
    const cluster::topology& places);

}  // namespace muster::gateway
