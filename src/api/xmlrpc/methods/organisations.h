#pragma once

#include "ports/clock.h"
#include "services/cluster/topology.h"
#include "services/compatibility/numeric_id_store.h"
#include "services/configuration/config_record_store.h"
#include "services/fleet/system_cache.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::xmlrpc_api {

// An organisation of the compatible API: a top-level zone with all zones below it. The zone
// `default` is organisation 1. It also owns cluster-wide data: groups, channels, and users with a
// role everywhere.
struct organisation {
    std::int64_t number = 0;
    std::string zone;
    std::string name;  // the assigned name, or the zone's

    bool is_first() const { return number == 1; }
};

// Thread-safe.
class organisations {
public:
    struct dependencies {
        const cluster::topology_cache& topology;
        configuration::config_record_store& records;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
    };

    explicit organisations(dependencies deps) : deps_(deps) {}

    // In the order of their zones' names.
    async<std::vector<organisation>> all() const;
    async<organisation> find(std::int64_t number) const;  // errc::not_found
    async<organisation> find_by_name(std::string name) const;

    // The organisation of a user with roles in these zones; the first one for a role everywhere
    // (the empty zone) or no role.
    async<organisation> home_of(std::set<std::string> zones) const;

    // The zone of an organisation and all zones below it.
    std::set<std::string> zones_of(const organisation& organisation) const;

    async<void> set_name(organisation organisation, std::string name, std::string user) const;
    async<void> remove_name(organisation organisation, std::string user) const;

    // When two organisations began to trust each other; nothing if they do not.
    std::optional<wall_time> trusted_since(
        const organisation& first, const organisation& second) const;
    enum class trust_change { add, remove };
    async<void> set_trust(
        organisation first, organisation second, trust_change change, std::string user) const;

private:
    std::string name_of(const std::string& zone) const;

    dependencies deps_;
};

// Number of accepted systems of a zone, at least 1 if the ledger has any that this server has not
// loaded yet.
async<std::size_t> count_accepted(
    const fleet::system_cache& system_cache, muster::ledger& ledger, std::string zone);

// Converts an organisation's name to a zone name: invalid characters become '-'.
std::string to_zone_name(std::string_view organisation);

}  // namespace muster::xmlrpc_api
