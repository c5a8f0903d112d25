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

// What clients of the compatible API call an organisation: a zone right under the root, with all
// zones below it. The zone `default` is organisation 1; to it belongs also what is the whole
// cluster's: groups, channels, and people with a role everywhere.
struct organisation {
    std::int64_t number = 0;
    std::string zone;
    std::string name;  // that people gave it, or the zone's

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
    async<organisation> find_named(std::string name) const;

    // That of somebody who has roles in these zones; the first for who has one everywhere (the
    // zone with the empty name), or none.
    async<organisation> home_of(std::set<std::string> zones) const;

    // The zones of one, itself among them.
    std::set<std::string> zones_of(const organisation& organisation) const;

    async<void> set_name(organisation organisation, std::string name, std::string by) const;
    async<void> forget(organisation organisation, std::string by) const;

    // Since when two trust each other; nothing: they do not.
    std::optional<wall_time> trust(const organisation& one, const organisation& other) const;
    enum class trusting { begins, ends };
    async<void> set_trust(
        organisation one, organisation other, trusting what, std::string by) const;

private:
    std::string name_of(const std::string& zone) const;

    dependencies deps_;
};

// How many accepted systems a zone has; what this server has not heard of yet counts, too.
async<std::size_t> accepted_in(
    const fleet::system_cache& system_cache, muster::ledger& ledger, std::string zone);

// A zone's name made of an organisation's: what cannot stand in one becomes '-'.
std::string zone_name_of(std::string_view organisation);

}  // namespace muster::xmlrpc_api
