#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/membership/node_state.h"
#include "core/model/node.h"
#include "core/placement/epoch.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::cluster {

// Records of zones and nodes in the metastore, stored as JSON (services/cluster/record.h).

inline constexpr std::string_view default_zone = "default";

struct zone_record {
    std::string name;
    std::string description;
    std::string parent;  // empty: a child of the root
    std::chrono::seconds disaster_timeout{300};
    wall_time made;
    std::int64_t tasks_max = 0;  // in flight on all of its systems together; zero: no limit

    friend bool operator==(const zone_record&, const zone_record&) = default;
};

// A node, online or not. The list of servers tells which nodes are online.
struct node_record {
    node_number number;
    std::string name;
    std::string instance;  // id of the data directory it was accepted with
    std::string address;   // last known address
    std::string zone;
    membership::node_state state = membership::node_state::pooled;
    std::string reason;            // of the state, for operators
    wall_time since;               // time of the last state change
    bool wiped = false;            // staged: it has deleted what it held
    bool leaving = false;          // it is being drained
    std::int64_t systems_max = 0;  // hard limit of systems; zero: none

    friend bool operator==(const node_record&, const node_record&) = default;
};

// The zone is frozen: so many of its nodes are missing at once that a network fault is likely. No
// node is given up.
struct zone_freeze_record {
    std::int64_t missing = 0;
    std::int64_t members = 0;
    wall_time since;

    friend bool operator==(const zone_freeze_record&, const zone_freeze_record&) = default;
};

// Names of zones and nodes appear in bus subjects, paths and commands. They have 1 to 63 letters,
// digits, '-', '_' and, for nodes, '.'; the first is a letter or digit.
result<void> check_zone_name(std::string_view name);

// Checks names of nodes and servers, which may be host names. errc::invalid.
result<void> check_node_name(std::string_view name);

std::string encode(const zone_record& zone);
std::string encode(const node_record& node);
std::string encode(const zone_freeze_record& freeze);

// errc::corrupt when the text is not a valid record.
result<zone_record> decode_zone(std::string_view text);
result<node_record> decode_node(std::string_view text);
result<zone_freeze_record> decode_zone_freeze(std::string_view text);

// The epoch of the newest slot table has its own key, because reading the table is expensive.
std::string encode(placement::epoch epoch);
result<placement::epoch> decode_epoch(std::string_view text);

}  // namespace muster::cluster
