#pragma once

#include "base/result.h"
#include "core/fleet/system_set.h"
#include "core/targeting/query.h"
#include "roles/fleet/fleet.h"
#include "roles/presence/presence.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::gateway {

// Whom a job is for: accepted systems by a query, or one by one by number, fingerprint or name.
// Thread-safe.
class job_targets {
public:
    static constexpr std::size_t listed_max = 10'000;  // one by one; more are meant by a query

    struct surroundings {
        const fleet::fleet& known;
        const presence::presence& seen;
        // The accepted systems that a query means now.
        std::function<result<fleet::system_set>(const std::string& query)> resolve;
    };

    explicit job_targets(surroundings around) : around_(std::move(around)) {}

    result<fleet::system_set> meant_by(const std::string& query) const;
    // errc::not_found with the first that is not there, errc::conflict when a name is not unique.
    result<fleet::system_set> listed(const std::vector<std::string>& systems) const;
    result<system_number> one(const std::string& named) const;

    fleet::system_set attached(const fleet::system_set& among) const;
    std::optional<presence::sighting> last_seen(system_number which) const;
    // Empty for one that is not in the fleet any more.
    std::string name_of(system_number which) const;
    bool is_known(system_number which) const;

private:
    surroundings around_;
};

}  // namespace muster::gateway
