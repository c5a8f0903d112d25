#pragma once

#include <string>
#include <string_view>

namespace muster::cluster::keys {

// Keys of the cluster's records in the metastore.
inline constexpr std::string_view identity = "cluster/identity";
inline constexpr std::string_view ledger_claim = "cluster/ledger";  // the ledger of the cluster
inline constexpr std::string_view servers = "servers/";             // live servers, under a lease

// Topology: every server follows all keys under this prefix.
inline constexpr std::string_view topology = "topology/";
inline constexpr std::string_view zones = "topology/zones/";
inline constexpr std::string_view nodes = "topology/nodes/";
inline constexpr std::string_view slots = "topology/slots/";         // one slot table a zone
inline constexpr std::string_view zone_freezes = "topology/holds/";  // frozen zones
inline constexpr std::string_view epochs = "topology/epochs/";  // of each slot table, cheap to read

inline constexpr std::string_view active_driver = "driver/active";  // under a lease
inline constexpr std::string_view last_driver =
    "topology/driver";                                           // server that last became active
inline constexpr std::string_view join_tokens = "join-tokens/";  // by digest, under a lease

// Counters; each holds the last number given.
inline constexpr std::string_view last_system_number = "counters/system";
inline constexpr std::string_view last_node_number = "counters/node";
inline constexpr std::string_view last_numbers = "counters/numbers/";  // by kind of object

// Automatic acceptance of unknown systems.
inline constexpr std::string_view accept_rules = "accept-rules/";
inline constexpr std::string_view accept_rule_uses = "accept-rule-uses/";  // of rules with a limit
inline constexpr std::string_view accept_rule_keys =
    "accept-rule-keys/";  // by digest: id of the rule
inline constexpr std::string_view enrolment_tokens = "enrolment-tokens/";  // by digest

// Cluster-wide limits of open jobs (docs/internals/rollout_limits.md); deleted when the job has
// ended.
inline constexpr std::string_view rollout = "rollout/";
inline constexpr std::string_view rollout_grants = "rollout/grants/";    // by node and job
inline constexpr std::string_view rollout_reports = "rollout/reports/";  // by node and job
inline constexpr std::string_view rollout_plans = "rollout/plans/";      // by job

inline std::string under(std::string_view prefix, std::string_view name) {
    return std::string(prefix) + std::string(name);
}
inline std::string server(std::string_view name) {
    return under(servers, name);
}
inline std::string zone(std::string_view name) {
    return under(zones, name);
}
inline std::string node(std::string_view name) {
    return under(nodes, name);
}
// Written by every change that adds systems, accept rules or tokens to a zone, in the transaction
// that checks the zone. A removal of the zone thus notices concurrent additions.
inline constexpr std::string_view zone_uses = "zone-uses/";
inline std::string zone_use(std::string_view name) {
    return under(zone_uses, name);
}
inline std::string zone_freeze(std::string_view zone_name) {
    return under(zone_freezes, zone_name);
}
inline std::string epoch(std::string_view zone_name) {
    return under(epochs, zone_name);
}
inline std::string slot_table(std::string_view zone_name) {
    return under(slots, zone_name);
}

}  // namespace muster::cluster::keys
