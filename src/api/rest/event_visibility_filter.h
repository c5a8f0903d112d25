#pragma once

#include "services/events/event_log.h"
#include "services/events/system_names.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::api {

// Filters events for a caller who is restricted to zones. Visible are events of a system or zone of
// the caller. A list of systems is reduced to the caller's systems. Events without system and zone,
// such as those of a job, need access to the whole cluster.
class event_visibility_filter {
public:
    // `zones`: nullopt means all.
    event_visibility_filter(
        std::optional<std::set<std::string>> zones, const events::system_names& systems)
        : zones_(std::move(zones)), systems_(&systems) {}

    bool is_visible(std::int64_t system) const;
    std::vector<events::event_log::item> filter(std::vector<events::event_log::item> events) const;

private:
    bool has_zone(const std::string& zone) const { return zones_->contains(zone); }
    // Removes what the caller may not see; false: nothing remains.
    bool narrow(event_record& event) const;
    bool narrow_list(event_record& event) const;

    std::optional<std::set<std::string>> zones_;
    const events::system_names* systems_;  // must outlive the filter
};

}  // namespace muster::api
