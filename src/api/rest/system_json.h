#pragma once

#include "core/model/system.h"
#include "services/cluster/topology.h"
#include "services/presence/presence_cache.h"

#include <boost/json/object.hpp>

#include <optional>

namespace muster::api {

// JSON form of a system: its record, and where it was last seen.
boost::json::object system_json(
    const system_record& record,
    const std::optional<presence::sighting>& sighting,
    const cluster::topology& topology);

}  // namespace muster::api
