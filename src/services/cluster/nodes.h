#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "services/cluster/node_record_reconciler.h"
#include "services/cluster/topology_record.h"

#include <cstdint>
#include <functional>
#include <string>

namespace muster::cluster {

// What admins do with nodes: pooled, staged, accepted; drained; given up; removed. Each is one
// transaction on the record as it is now. errc::not_found for an unknown node or zone,
// errc::conflict with a sentence when the node is not in the state for it.
class nodes {
public:
    nodes(muster::metastore& metastore, muster::clock& clock, announcement announce)
        : metastore_(metastore), clock_(clock), announce_(std::move(announce)) {}

    // The node drops what it holds and says so; only then can it be accepted.
    async<node_record> stage(std::string name);
    async<node_record> accept(std::string name, std::string zone);
    async<node_record> drain(std::string name);
    async<node_record> undrain(std::string name);
    // A suspect that peers still reach, but that is cut off for good, is never given up by itself.
    async<node_record> give_up(std::string name);
    async<node_record> limit(std::string name, std::int64_t systems_max);
    // Refused while the node serves, unless it was drained and has no slot left.
    async<node_record> remove(std::string name);  // as it was

private:
    using rule = std::function<result<node_record>(node_record)>;
    struct found_node {
        kv::entry entry;
        node_record record;
    };

    async<found_node> find(std::string name);
    async<node_record> change(std::string name, rule rule);
    async<node_record> try_change(std::string name, rule rule);
    async<node_record> try_accept(std::string name, std::string zone);
    async<node_record> try_give_up(std::string name);
    async<bool> has_slots(node_record node);

    metastore& metastore_;
    muster::clock& clock_;
    announcement announce_;
};

}  // namespace muster::cluster
