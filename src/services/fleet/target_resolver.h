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

// Whom a job is for: accepted systems by a query, or one by one by number, fingerprint or name.
// Thread-safe.
class target_resolver final : public system_selector {
public:
    static constexpr std::size_t listed_max = 10'000;  // one by one; more are meant by a query

    struct dependencies {
        const system_cache& systems;
        const search& index;
        const group_store& groups;
        const presence::presence_cache& presence;
        const cluster::topology_cache& topology;
    };
    using zone_names = std::set<std::string>;

    explicit target_resolver(dependencies deps)
        : deps_(deps), where_(deps.presence, deps.topology) {}

    result<system_set> resolve(const std::string& query) const override;
    bool has_label(system_number system, const std::string& group) const override;
    std::optional<std::string> zone_of(const std::string& named) const;

    // As resolve(), but errc::invalid for an empty query.
    result<system_set> meant_by(const std::string& query) const;
    // errc::not_found with the first that is not there, errc::conflict when a name is not unique.
    result<system_set> listed(const std::vector<std::string>& systems) const;
    result<system_number> one(const std::string& named) const;

    // errc::unavailable while not all systems are known, so that zones cannot be told.
    result<void> check_complete() const;
    system_set among(const zone_names& zones, const system_set& systems) const;
    // Those of a set that are in these zones; nothing means all zones.
    system_set reach_of(const std::optional<zone_names>& zones, const system_set& systems) const;
    // errc::not_found for a job with systems outside of these zones.
    result<void> check_visible(
        const std::optional<zone_names>& zones, job_id job, const system_set& targets) const;

    system_set attached(const system_set& among) const;
    std::optional<presence::sighting> last_seen(system_number system_number) const;
    // Empty for one that is not in the fleet any more.
    std::string name_of(system_number system_number) const;
    bool is_known(system_number system_number) const;

private:
    dependencies deps_;
    presence::cached_presence_lookup where_;
};

}  // namespace muster::fleet
