#pragma once

#include "api/operations/registry.h"
#include "api/rest/revisions_api.h"
#include "services/cluster/nodes.h"
#include "services/cluster/topology.h"
#include "services/presence/presence_cache.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::api {

// The servers and nodes of the cluster, who serves how many slots, and what admins do with nodes.
// Reads are answered from memory.
class nodes_api {
public:
    struct dependencies {
        muster::clock& clock;
        const presence::presence_cache& presence;
        const revisions_api& revisions;
    };

    explicit nodes_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& to);

private:
    using change = async<cluster::node_record> (cluster::nodes::*)(std::string);

    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> topology(call call);
    async<reply> slots(call call);
    async<reply> accept(call call);
    async<reply> limit(call call);

    // One that needs nothing but the node's name.
    result<void> declare_change(registry& to, std::string verb, std::string summary, change change);
    async<reply> changed(call call, change change);
    reply node_reply(const call& call, const cluster::node_record& node) const;
    void add_common(boost::json::object& response) const;

    // Nothing when that is not known here.
    std::optional<std::int64_t> attached_to(node_number node) const;

    dependencies deps_;
};

}  // namespace muster::api
