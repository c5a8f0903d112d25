#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "services/cluster/node_record_reconciler.h"
#include "services/cluster/topology_record.h"

#include <cstdint>
#include <functional>
#include <string>

namespace muster::cluster {

// What admins do with nodes: stage, accept, drain, give up and remove them. Each call is one
// transaction on the current record.
//
// errc::not_found for an unknown node or zone; errc::conflict when the node is in the wrong state.
//
class node_service {
public:
    node_service(muster::metastore& metastore, muster::clock& clock, publish_function publish)
        : metastore_(metastore), clock_(clock), publish_(std::move(publish)) {}

    // The node deletes what it holds and records that. Only then can it be accepted.
    async<node_record> stage(std::string name);
    async<node_record> accept(std::string name, std::string zone);
    async<node_record> drain(std::string name);
    async<node_record> undrain(std::string name);
    // A node that peers still reach but that is cut off for good never becomes faulty by itself.
    async<node_record> evict(std::string name);
    async<node_record> set_systems_max(std::string name, std::int64_t systems_max);
    // Refused while the node serves, unless it was drained and has no slot left. Returns the
    // removed record.
    async<node_record> remove(std::string name);

private:
    using update_function = std::function<result<node_record>(node_record)>;
    struct found_node {
        kv::entry entry;
        node_record record;
    };

    async<found_node> find(std::string name);
    async<node_record> change(std::string name, update_function update);
    async<node_record> try_change(std::string name, update_function update);
    async<node_record> try_accept(std::string name, std::string zone);
    async<node_record> try_evict(std::string name);
    async<bool> has_slots(node_record node);

    metastore& metastore_;
    muster::clock& clock_;
    publish_function publish_;
};

}  // namespace muster::cluster
