#pragma once

#include "services/events/event_log.h"
#include "services/events/system_names.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::api {

// What of the events somebody may see who may not look everywhere: those that name a system or a
// zone of theirs, and none that lies elsewhere. Of one that lists systems they see their own. One
// that names neither, such as a job's, is for those who may see the whole cluster.
class event_visibility_filter {
public:
    // `zones`: nothing means all.
    event_visibility_filter(
        std::optional<std::set<std::string>> zones, const events::system_names& systems)
        : zones_(std::move(zones)), systems_(&systems) {}

    bool sees(std::int64_t system) const;
    std::vector<events::event_log::item> of(std::vector<events::event_log::item> all) const;

private:
    bool holds(const std::string& zone) const { return zones_->contains(zone); }
    // Whether anything is left of it.
    bool narrow(event_record& event) const;
    bool narrow_list(event_record& event) const;

    std::optional<std::set<std::string>> zones_;
    const events::system_names* systems_;  // outlives it
};

}  // namespace muster::api
