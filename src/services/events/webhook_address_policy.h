#pragma once

#include "base/endpoint.h"
#include "ports/async.h"
#include "services/cluster/topology.h"

#include <string>
#include <vector>

namespace muster::events {

// Decides which addresses webhooks may use. Users choose the address, so it must not be a server of
// the cluster or one of its engines, which may trust this server. Plain http is allowed to this
// machine only, if the operator enables it. Thread-safe.
class webhook_address_policy {
public:
    struct options {
        bool plain_http = false;
        std::vector<endpoint> closed = {};  // this server's ports, and the engines
    };

    // The servers of the topology are closed, too; null: no topology.
    explicit webhook_address_policy(
        options options, const cluster::topology_cache* topology = nullptr)
        : options_(std::move(options)), topology_(topology) {}

    // Checks the URL without name resolution. errc::invalid says what to do.
    result<void> check(const std::string& url) const;

    // Checks the resolved addresses, too: errc::invalid. errc::unavailable for an unknown name.
    async<void> check_resolved(std::string url) const;

private:
    std::vector<endpoint> closed_with_port(std::uint16_t port) const;

    options options_;
    const cluster::topology_cache* topology_;
};

// Whether the text names this machine. Does not resolve names, because that may change.
bool is_this_machine(const std::string& host);

}  // namespace muster::events
