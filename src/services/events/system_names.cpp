#include "services/events/system_names.h"

#include "services/fleet/system_cache.h"

namespace muster::events {

std::string fleet_system_names::name_of(system_number system) const {
    const auto record = systems_.find(system);
    return record ? record->name : std::string();
}

std::optional<std::string> fleet_system_names::zone_of(system_number system) const {
    const auto record = systems_.find(system);
    return record ? std::optional(record->zone) : std::nullopt;
}

}  // namespace muster::events
