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

membership::zone_tree tree_of(const topology& topology);

// What admins do with zones. Each is one transaction on the records as they are now, and the tree
// of zones never has a circle, whoever else changes it at the same time.
class zones {
public:
    static constexpr std::size_t description_bytes_max = 1000;
    static constexpr std::size_t zones_max = 10'000;
    static constexpr std::chrono::seconds disaster_timeout_min{10};
    static constexpr std::chrono::seconds disaster_timeout_max = std::chrono::hours(24 * 7);
    static constexpr std::int64_t tasks_most = 100'000'000;

    // What is not given stays as it is, or becomes the default.
    struct wanted {
        std::optional<std::string> description = std::nullopt;
        std::optional<std::string> parent = std::nullopt;
        std::optional<std::chrono::seconds> disaster_timeout = std::nullopt;
        std::optional<std::int64_t> tasks_max = std::nullopt;  // zero: no limit
    };

    zones(muster::metastore& metastore, muster::clock& clock)
        : metastore_(metastore), clock_(clock) {}

    async<zone_record> add(std::string name, wanted how);     // conflict when it is there
    async<zone_record> change(std::string name, wanted how);  // not_found when it is not
    // How many accepted systems are in a zone, as the ledger has it.
    using census = std::function<async<std::size_t>(std::string zone)>;
    // errc::conflict while nodes, zones or accepted systems are in it, or accept rules and unused
    // tokens lead to it.
    async<void> remove(std::string name, census systems);

    // After systems were taken into a zone: errc::conflict when it was removed meanwhile. Whoever
    // counts the systems now in order to remove it has to count again.
    async<void> confirm(std::string name);

    // The same as a part of another transaction; the default zone always stays.
    static void require(kv::transaction& change, std::string_view name);
    // Whether that was why it was not committed.
    static bool is_gone(const kv::verdict& refused, std::string_view name);

private:
    struct found_zones {
        std::map<std::string, kv::entry, std::less<>> entries;
        std::map<std::string, zone_record, std::less<>> records;
    };

    async<found_zones> read();
    // Something that a zone holds, by the part of the metastore it is in.
    struct kind {
        std::string_view prefix;
        std::string_view word;
    };
    async<std::size_t> count(kind kind, std::string zone);
    async<void> check_empty(std::string name, census systems);
    static result<zone_record> merged(zone_record base, const wanted& how);
    static void require_path(
        kv::transaction& change, const found_zones& found_zones, const std::string& parent);

    metastore& metastore_;
    muster::clock& clock_;
};

}  // namespace muster::cluster
