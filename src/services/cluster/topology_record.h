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

// The zones and nodes of the cluster, kept in the metastore as JSON (services/cluster/record.h).

inline constexpr std::string_view default_zone = "default";

struct zone_record {
    std::string name;
    std::string description;
    std::string parent;  // empty: right under the root of the zone tree
    std::chrono::seconds disaster_timeout{300};
    wall_time made;
    std::int64_t tasks_max = 0;  // in flight at once on all of its systems; zero: no limit

    friend bool operator==(const zone_record&, const zone_record&) = default;
};

// A node as the cluster knows it, whether it is there or not. Whether it is there tells the list
// of servers, where each is under a lease.
struct node_record {
    node_number number;
    std::string name;
    std::string instance;  // the data directory it was taken in with
    std::string address;   // where it was last reached, also while it is not there
    std::string zone;
    membership::node_state state = membership::node_state::pooled;
    std::string reason;            // why it is in that state, for people
    wall_time since;               // when it came into it
    bool wiped = false;            // staged: it has dropped what it held
    bool leaving = false;          // an admin drains it
    std::int64_t systems_max = 0;  // hard limit of systems; zero: none

    friend bool operator==(const node_record&, const node_record&) = default;
};

// So many of a zone's nodes are missing at once that it must be the network: nobody is given up.
struct hold_record {
    std::int64_t missing = 0;
    std::int64_t members = 0;
    wall_time since;

    friend bool operator==(const hold_record&, const hold_record&) = default;
};

// Names of zones and nodes are words of subjects, paths and command lines: 1 to 63 letters, digits,
// '-', '_' and, in nodes' names, '.'; the first a letter or digit.
result<void> check_zone_name(std::string_view name);

// Of nodes and servers, which may be host names. errc::invalid with a sentence.
result<void> check_node_name(std::string_view name);

std::string encode(const zone_record& zone);
std::string encode(const node_record& node);
std::string encode(const hold_record& hold);

// errc::corrupt when the text is not such a record.
result<zone_record> decode_zone(std::string_view text);
result<node_record> decode_node(std::string_view text);
result<hold_record> decode_hold(std::string_view text);

// The number of a zone's newest slot table, beside the table itself so that it is cheap to ask for.
std::string encode(placement::epoch epoch);
result<placement::epoch> decode_epoch(std::string_view text);

}  // namespace muster::cluster
