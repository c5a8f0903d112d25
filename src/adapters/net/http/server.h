#pragma once

#include "adapters/net/endpoint.h"
#include "adapters/net/http/counters.h"
#include "adapters/net/http/limits.h"
#include "adapters/net/http/service.h"
#include "adapters/net/tls_context.h"
#include "core/model/network.h"
#include "ports/async.h"
#include "ports/clock.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace muster::net::http {

struct listener {
    endpoint address;                          // an IP address; port 0: any free port
    std::shared_ptr<rotating_tls_server> tls;  // null: plain HTTP, on loopback only
    http::service service;
};

// Serves HTTP/1.1 and agent connections on its own event loops, one per core. Thread-safe.
//
// One acceptor hands each connection to the loop with the fewest connections. SO_REUSEPORT would
// hash instead, and agent connections last for months, so their numbers must be even. The hop
// between threads is cheap compared with a handshake.
class server {
public:
    struct options {
        std::vector<listener> listeners;
        muster::clock* clock;
        http::limits limits = {};
        std::size_t loops = 1;
        // Addresses shared by many clients, such as a load balancer's: exempt from the limit per
        // address.
        std::vector<network> proxies = {};
    };

    // Listens when it returns. The error names an address that is in use or not local.
    static result<std::unique_ptr<server>> start(options options);

    server(const server&) = delete;
    server& operator=(const server&) = delete;
    // Cuts every connection and waits for all tasks; call drain() first for a clean end.
    ~server();

    // Stops accepting, ends idle connections and event streams and lets running requests finish.
    // Cuts the remaining connections after `timeout` and returns their number. Call once, from any
    // executor.
    async<std::size_t> drain(monotonic::duration timeout);

    // Completes when every event loop has run a handler. Call from any executor.
    async<void> pulse();

    std::uint16_t port(std::size_t listener_index) const;
    const counters& metrics() const;
    std::vector<std::size_t> connections_by_loop() const;

private:
    struct state;
    explicit server(std::unique_ptr<state> state);

    std::unique_ptr<state> state_;
};

}  // namespace muster::net::http
