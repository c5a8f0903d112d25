#pragma once

#include <string>
#include <string_view>

namespace muster::cluster::keys {

// Where the cluster's small records are in the metastore.
inline constexpr std::string_view identity = "cluster/identity";
inline constexpr std::string_view ledger_claim = "cluster/ledger";  // it has had a ledger
inline constexpr std::string_view servers = "servers/";  // under a lease: who is there now

// Topology: everything under this prefix is followed by every server.
inline constexpr std::string_view topology = "topology/";
inline constexpr std::string_view zones = "topology/zones/";
inline constexpr std::string_view nodes = "topology/nodes/";
inline constexpr std::string_view slots = "topology/slots/";    // one slot table a zone
inline constexpr std::string_view holds = "topology/holds/";    // zones where nobody is given up
inline constexpr std::string_view epochs = "topology/epochs/";  // of each table, to ask for cheaply

inline constexpr std::string_view active_driver = "driver/active";  // under a lease
inline constexpr std::string_view last_driver =
    "topology/driver";                                           // who last became the active one
inline constexpr std::string_view join_tokens = "join-tokens/";  // by digest, under a lease

// Counters that give numbers: the last one given.
inline constexpr std::string_view last_system_number = "counters/system";
inline constexpr std::string_view last_node_number = "counters/node";
inline constexpr std::string_view last_numbers = "counters/numbers/";  // by kind of what has one

// How unknown systems are taken in without an admin.
inline constexpr std::string_view accept_rules = "accept-rules/";
inline constexpr std::string_view accept_rule_uses = "accept-rule-uses/";  // of those with a limit
inline constexpr std::string_view accept_rule_keys = "accept-rule-keys/";  // by digest: whose it is
inline constexpr std::string_view enrolment_tokens = "enrolment-tokens/";  // by digest

// Cluster-wide limits of open jobs (docs/rollout.md); gone when the job has ended.
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
// Written by whoever gives a zone something to hold (systems, accept rules, tokens), in the
// transaction that finds the zone there: who removes the zone sees that somebody was faster.
inline constexpr std::string_view zone_uses = "zone-uses/";
inline std::string zone_use(std::string_view name) {
    return under(zone_uses, name);
}
inline std::string hold(std::string_view zone_name) {
    return under(holds, zone_name);
}
inline std::string epoch(std::string_view zone_name) {
    return under(epochs, zone_name);
}
inline std::string slot_table(std::string_view zone_name) {
    return under(slots, zone_name);
}

}  // namespace muster::cluster::keys
