#pragma once

#include "api/operations/registry.h"
#include "services/cluster/nodes.h"
#include "services/cluster/topology.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace muster::api {

// The servers and nodes of the cluster, who serves how many slots, and what admins do with nodes.
// Reads are answered from memory.
class nodes_api {
public:
    struct dependencies {
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

    nodes_api(clock& time, dependencies deps) : time_(time), given_(std::move(deps)) {}

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

    clock& time_;
    dependencies given_;
};

}  // namespace muster::api
