#pragma once

#include "api/operations/call.h"
#include "base/result.h"
#include "core/fleet/system_set.h"
#include "core/model/job.h"
#include "core/targeting/query.h"
#include "services/fleet/system_cache.h"
#include "services/presence/presence_cache.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace muster::api {

// Whom a job is for: accepted systems by a query, or one by one by number, fingerprint or name.
// Thread-safe.
class target_resolver {
public:
    static constexpr std::size_t listed_max = 10'000;  // one by one; more are meant by a query

    struct dependencies {
        const fleet::system_cache& known;
        const presence::presence_cache& seen;
        // The accepted systems that a query means now.
        std::function<result<fleet::system_set>(const std::string& query)> resolve;
        // Those of a set that are in one of these zones; null: nobody is.
        std::function<fleet::system_set(const std::set<std::string>&, const fleet::system_set&)>
            in_zones = nullptr;
    };

    explicit target_resolver(dependencies deps) : deps_(std::move(deps)) {}

    result<fleet::system_set> meant_by(const std::string& query) const;
    // errc::not_found with the first that is not there, errc::conflict when a name is not unique.
    result<fleet::system_set> listed(const std::vector<std::string>& systems) const;
    result<system_number> one(const std::string& named) const;

    // errc::unavailable while not all systems are known, so that zones cannot be told.
    result<void> check_complete() const;
    fleet::system_set among(
        const std::set<std::string>& zones, const fleet::system_set& systems) const;
    // Those of a set where the caller has the right that is asked for.
    fleet::system_set reach_of(const call& call, const fleet::system_set& systems) const;
    // errc::not_found for a job with systems where the caller may not look.
    result<void> check_visible(
        const call& call, job_id job, const fleet::system_set& targets) const;

    fleet::system_set attached(const fleet::system_set& among) const;
    std::optional<presence::sighting> last_seen(system_number system_number) const;
    // Empty for one that is not in the fleet any more.
    std::string name_of(system_number system_number) const;
    bool is_known(system_number system_number) const;

private:
    dependencies deps_;
};

}  // namespace muster::api
