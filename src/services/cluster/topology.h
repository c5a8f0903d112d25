#pragma once

#include "base/endpoint.h"
#include "core/kv/entry.h"
#include "core/model/node.h"
#include "core/model/slot.h"
#include "core/placement/epoch.h"
#include "services/cluster/record.h"
#include "services/cluster/topology_record.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::placement {
class slot_table;
}

namespace muster::cluster {

// The cluster as one server sees it: zones, nodes and slot owners at one revision of the metastore,
// and the live servers. Immutable once published.
struct topology {
    kv::revision revision;  // includes every change under topology/ up to this one
    std::map<std::string, zone_record, std::less<>> zones;
    std::map<std::string, node_record, std::less<>> nodes;      // by name
    std::map<node_number, std::string> node_names;              // names by number
    std::map<std::string, server_record, std::less<>> servers;  // with a live lease
    std::map<std::string, std::shared_ptr<const placement::slot_table>, std::less<>> slots;

    std::map<std::string, zone_freeze_record, std::less<>> freezes;  // by zone

    std::map<std::string, placement::epoch, std::less<>> epochs;  // also of removed zones
    std::string driver;  // server whose driver last became active

    // Revision of the last write of each node record and slot table, for compare-and-set.
    std::map<std::string, kv::revision, std::less<>> node_revisions;
    std::map<std::string, kv::revision, std::less<>> slot_revisions;

    // Keys of records that this server cannot read, for example from a newer version. The last
    // readable version of these records stays in effect.
    std::set<std::string, std::less<>> unreadable;

    // Whether every record that a plan of this zone needs was readable.
    bool is_readable(std::string_view zone) const;

    const node_record* find_node(node_number node_number) const;

    // The owner of a slot. `node` is null when the slot has no owner or its owner is no member any
    // more. `server` is null while that node is not online.
    struct slot_owner {
        const node_record* node = nullptr;
        const server_record* server = nullptr;
        placement::epoch since;
    };
    slot_owner find_owner(std::string_view zone, slot slot) const;
};

// Holds the newest topology. One follower publishes; any thread reads. Thread-safe.
class topology_cache {
public:
    // Returns an empty topology at revision zero before the first publication.
    std::shared_ptr<const topology> read() const {
        const std::lock_guard lock(mutex_);
        return current_;
    }
    void publish(std::shared_ptr<const topology> next) {
        const std::lock_guard lock(mutex_);
        current_ = std::move(next);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const topology> current_ = std::make_shared<topology>();
};

// Addresses of all servers and nodes, including offline ones.
std::vector<endpoint> server_addresses(const topology& topology);

}  // namespace muster::cluster
