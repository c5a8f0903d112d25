#include "api/operations/system_directory.h"

#include "services/presence/subscriber.h"

namespace muster::api {

result<system_number> fleet_directory::find(const std::string& name) const {
    return deps_.targets.one(name);
}

std::optional<std::string> fleet_directory::zone_of(const std::string& name) const {
    return deps_.targets.zone_of(name);
}

std::vector<presence::missing_node> fleet_directory::missing_nodes() const {
    const auto oldest = deps_.clock.now() - presence::subscriber::options().silence_max;
    return presence::missing_nodes(*deps_.topology.read(), deps_.presence, oldest);
}

}  // namespace muster::api
