#pragma once

#include "base/endpoint.h"
#include "ports/async.h"
#include "services/cluster/topology.h"

#include <string>
#include <vector>

namespace muster::events {

// Which addresses a server calls for webhooks. A webhook makes a server talk to an address that
// somebody chose: never to the cluster itself or to its engines, which may believe whoever comes
// from there, and in the clear only to this very machine, where its operator allows it.
// Thread-safe.
class webhook_address_policy {
public:
    struct options {
        bool plain_http = false;
        std::vector<endpoint> closed = {};  // this server's ports, and the engines
    };

    // The addresses of the topology's servers are closed, too; null: there are none.
    explicit webhook_address_policy(
        options options, const cluster::topology_cache* topology = nullptr)
        : options_(std::move(options)), topology_(topology) {}

    // By what is written: errc::invalid with what to do.
    result<void> check(const std::string& url) const;

    // By what the name stands for at this moment: errc::invalid. errc::unavailable when nobody
    // knows the name.
    async<void> check_reached(std::string url) const;

private:
    std::vector<endpoint> closed_with_port(std::uint16_t port) const;

    options options_;
    const cluster::topology_cache* topology_;
};

// This very machine, by what is written and not by what a name resolves to, which may change.
bool is_this_machine(const std::string& host);

}  // namespace muster::events
