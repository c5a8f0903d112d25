#pragma once

#include "adapters/net/http/router.h"
#include "roles/cluster/nodes.h"
#include "roles/cluster/topology.h"
#include "roles/gateway/office.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace muster::gateway {

// /api/v1/nodes and /api/v1/topology: the servers and nodes of the cluster, who serves how many
// slots, and what admins do with nodes. Reads are answered from memory.
class nodes_api {
public:
    struct senses {
        // How many systems are attached to a node; nothing when that is not known here.
        std::function<std::optional<std::int64_t>(node_number)> attached = [](node_number) {
            return std::optional<std::int64_t>();
        };
    };

    nodes_api(const front_desk& desk, clock& time, senses given)
        : desk_(desk), time_(time), given_(std::move(given)) {}

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;
    using change = std::function<async<cluster::node_record>(cluster::nodes&, std::string)>;

    answer list(net::http::request asked);
    answer show(net::http::request asked);
    answer topology(net::http::request asked);
    answer stage(net::http::request asked);
    answer accept(net::http::request asked);
    answer drain(net::http::request asked);
    answer undrain(net::http::request asked);
    answer give_up(net::http::request asked);
    answer limit(net::http::request asked);
    answer remove(net::http::request asked);

    // Admits, changes, records and answers with the node as it is now.
    answer changed(net::http::request asked, std::string what, change how);
    net::http::response node_answer(const visitor& who, const cluster::node_record& node) const;
    net::http::handler calling(answer (nodes_api::*method)(net::http::request));

    const front_desk& desk_;
    clock& time_;
    senses given_;
};

}  // namespace muster::gateway
