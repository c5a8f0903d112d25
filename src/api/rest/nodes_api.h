#pragma once

#include "services/cluster/nodes.h"
#include "services/cluster/topology.h"
#include "api/operations/registry.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace muster::api {

// The servers and nodes of the cluster, who serves how many slots, and what admins do with nodes.
// Reads are answered from memory.
class nodes_api {
public:
    struct senses {
        // How many systems are attached to a node; nothing when that is not known here.
        std::function<std::optional<std::int64_t>(node_number)> attached = [](node_number) {
            return std::optional<std::int64_t>();
        };
        // How its common data stands to the newest revision; empty when that is not known here.
        std::function<std::string(const std::string& node, bool there)> common =
            [](const std::string&, bool) {
                return std::string();
            };
    };

    nodes_api(clock& time, senses given) : time_(time), given_(std::move(given)) {}

    result<void> declare(registry& to);

private:
    using change = async<cluster::node_record> (cluster::nodes::*)(std::string);

    async<reply> list(call asked);
    async<reply> show(call asked);
    async<reply> topology(call asked);
    async<reply> slots(call asked);
    async<reply> accept(call asked);
    async<reply> limit(call asked);

    // One that needs nothing but the node's name.
    result<void> declare_change(registry& to, std::string verb, std::string summary, change how);
    async<reply> changed(call asked, change how);
    reply node_reply(const call& asked, const cluster::node_record& node) const;
    void add_common(boost::json::object& told) const;

    clock& time_;
    senses given_;
};

}  // namespace muster::api
