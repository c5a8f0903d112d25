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

// The cluster as one server sees it: which zones and nodes there are and who serves which slot, at
// one revision of the metastore, and which servers are there now. Never changes once it is made.
struct topology {
    kv::revision at;  // nothing under topology/ up to this revision is missing
    std::map<std::string, zone_record, std::less<>> zones;
    std::map<std::string, node_record, std::less<>> nodes;      // by name
    std::map<node_number, std::string> node_names;              // the same, by number
    std::map<std::string, server_record, std::less<>> servers;  // those whose lease stands
    std::map<std::string, std::shared_ptr<const placement::slot_table>, std::less<>> slots;

    std::map<std::string, hold_record, std::less<>> holds;  // by zone

    std::map<std::string, placement::epoch, std::less<>> epochs;  // also of zones that are gone
    std::string driver;  // which server's driver last became the active one

    // When each node's record and each zone's table were last written, for compare-and-set.
    std::map<std::string, kv::revision, std::less<>> node_revisions;
    std::map<std::string, kv::revision, std::less<>> slot_revisions;

    // Keys of records that this server cannot read, as of a newer version: what they said when it
    // last could stands.
    std::set<std::string, std::less<>> unreadable;

    // Whether everything that a plan of this zone rests on could be read.
    bool understood(std::string_view zone) const;

    const node_record* find_node(node_number node_number) const;

    // Who serves a slot of a zone, and where. `node` is null when nobody does, or one that is no
    // member any more has it; `server` is null while that node is not there.
    struct place {
        const node_record* node = nullptr;
        const server_record* server = nullptr;
        placement::epoch since;
    };
    place place_of(std::string_view zone, slot slot) const;
};

// Where the newest topology is found. One follower publishes, anybody reads. Thread-safe.
class topology_cache {
public:
    // An empty topology at revision zero before the first was published.
    std::shared_ptr<const topology> read() const {
        const std::lock_guard lock(guard_);
        return current_;
    }
    void publish(std::shared_ptr<const topology> next) {
        const std::lock_guard lock(guard_);
        current_ = std::move(next);
    }

private:
    mutable std::mutex guard_;
    std::shared_ptr<const topology> current_ = std::make_shared<topology>();
};

// Where servers and nodes are, also those that are not there now.
std::vector<endpoint> server_addresses(const topology& topology);

}  // namespace muster::cluster
