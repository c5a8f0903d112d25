#pragma once

#include "core/membership/zone_tree.h"
#include "ports/clock.h"
#include "ports/metastore.h"
#include "services/cluster/topology.h"
#include "services/cluster/topology_record.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::cluster {

membership::zone_tree to_zone_tree(const topology& topology);

// What admins do with zones. Each call is one transaction on the current records. The tree of zones
// never gets a cycle, even under concurrent changes.
class zone_service {
public:
    static constexpr std::size_t description_bytes_max = 1000;
    static constexpr std::size_t zones_max = 10'000;
    static constexpr std::chrono::seconds disaster_timeout_min{10};
    static constexpr std::chrono::seconds disaster_timeout_max = std::chrono::hours(24 * 7);
    static constexpr std::int64_t tasks_max_limit = 100'000'000;

    // Settings of a zone. A missing value keeps the current value, or the default for a new zone.
    struct settings {
        std::optional<std::string> description = std::nullopt;
        std::optional<std::string> parent = std::nullopt;
        std::optional<std::chrono::seconds> disaster_timeout = std::nullopt;
        std::optional<std::int64_t> tasks_max = std::nullopt;  // zero: no limit
    };

    zone_service(muster::metastore& metastore, muster::clock& clock)
        : metastore_(metastore), clock_(clock) {}

    async<zone_record> add(std::string name, settings settings);     // conflict when it exists
    async<zone_record> change(std::string name, settings settings);  // not_found when it does not
    // Returns the number of accepted systems of a zone, from the ledger.
    using system_counter = std::function<async<std::size_t>(std::string zone)>;
    // errc::conflict while the zone has nodes, child zones or accepted systems, or while accept
    // rules or unused tokens refer to it.
    async<void> remove(std::string name, system_counter count_systems);

    // Call after systems were moved into a zone: errc::conflict when it was removed meanwhile. A
    // concurrent removal has to count the systems again.
    async<void> confirm(std::string name);

    // Adds the check of confirm() to another transaction. The default zone always exists.
    static void require_zone(kv::transaction& change, std::string_view name);
    // Whether the transaction failed because the zone is gone.
    static bool is_gone(const kv::commit_result& outcome, std::string_view name);

private:
    struct stored_zones {
        std::map<std::string, kv::entry, std::less<>> entries;
        std::map<std::string, zone_record, std::less<>> records;
    };

    async<stored_zones> read();
    // A kind of record that belongs to a zone, with its prefix in the metastore.
    struct content_kind {
        std::string_view prefix;
        std::string_view word;
    };
    async<std::size_t> count(content_kind kind, std::string zone);
    async<void> check_empty(std::string name, system_counter count_systems);
    static result<zone_record> apply_settings(zone_record zone, const settings& settings);
    static void require_path(
        kv::transaction& change, const stored_zones& zones, const std::string& parent);

    metastore& metastore_;
    muster::clock& clock_;
};

}  // namespace muster::cluster
