#pragma once

#include "base/result.h"
#include "core/fleet/system_set.h"
#include "core/model/job.h"
#include "services/fleet/group_store.h"
#include "services/fleet/search.h"
#include "services/fleet/system_cache.h"
#include "services/fleet/system_selector.h"
#include "services/presence/presence_cache.h"
#include "services/presence/presence_lookup.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::fleet {

// Resolves the targets of jobs: accepted systems by a query, or listed by number, fingerprint or
// name. Thread-safe.
class target_resolver final : public system_selector {
public:
    static constexpr std::size_t listed_max = 10'000;  // for more, use a query

    struct dependencies {
        const system_cache& systems;
        const search& index;
        const group_store& groups;
        const presence::presence_cache& presence;
        const cluster::topology_cache& topology;
    };
    using zone_names = std::set<std::string>;

    explicit target_resolver(dependencies deps)
        : deps_(deps), presence_(deps.presence, deps.topology) {}

    result<system_set> resolve(const std::string& query) const override;
    bool has_label(system_number system, const std::string& group) const override;
    std::optional<std::string> zone_of(const std::string& name) const;

    // As resolve(), but errc::invalid for an empty query.
    result<system_set> meant_by(const std::string& query) const;
    // errc::not_found for the first unknown system, errc::conflict for an ambiguous name.
    result<system_set> listed(const std::vector<std::string>& systems) const;
    result<system_number> one(const std::string& name) const;

    // errc::unavailable until all systems are read; their zones are unknown before.
    result<void> check_complete() const;
    system_set among(const zone_names& zones, const system_set& systems) const;
    // The systems of a set that are in these zones; nothing means all zones.
    system_set reach_of(const std::optional<zone_names>& zones, const system_set& systems) const;
    // errc::not_found for a job with systems outside of these zones.
    result<void> check_visible(
        const std::optional<zone_names>& zones, job_id job, const system_set& targets) const;

    system_set attached(const system_set& systems) const;
    std::optional<presence::sighting> last_seen(system_number system) const;
    // Empty for a system that is not in the fleet any more.
    std::string name_of(system_number system) const;
    bool is_known(system_number system) const;

private:
    dependencies deps_;
    presence::cached_presence_lookup presence_;
};

}  // namespace muster::fleet
