#pragma once

#include "api/operations/registry.h"
#include "api/rest/revisions_api.h"
#include "services/cluster/node_service.h"
#include "services/cluster/topology.h"
#include "services/presence/presence_cache.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::api {

// Servers, nodes and slots of the cluster, and changes of nodes. Reads come from memory.
// Thread-safe.
class nodes_api {
public:
    struct dependencies {
        muster::clock& clock;
        const presence::presence_cache& presence;
        const revisions_api& revisions;
    };

    explicit nodes_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& operations);

private:
    using change = async<cluster::node_record> (cluster::node_service::*)(std::string);

    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> topology(call call);
    async<reply> slots(call call);
    async<reply> accept(call call);
    async<reply> limit(call call);

    // A change that needs only the node's name.
    result<void> declare_change(
        registry& operations, std::string verb, std::string summary, change change);
    async<reply> apply_change(call call, change change);
    reply node_reply(const call& call, const cluster::node_record& node) const;
    void add_drift(boost::json::object& response) const;

    // nullopt: not known on this server.
    std::optional<std::int64_t> count_attached(node_number node) const;

    dependencies deps_;
};

}  // namespace muster::api
