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
    endpoint where;                            // an IP address; port 0 takes any free one
    std::shared_ptr<rotating_tls_server> tls;  // null: in the clear, on loopback only
    service what;
};

// Serves HTTP/1.1 and hands channels over, on event loops of its own, one a core.
//
// One acceptor hands each connection to the loop that has the fewest, rather than one SO_REUSEPORT
// socket a loop: agents' connections stay for months, so they must be spread evenly by number,
// which the kernel's hashing does not promise. The price, one hop between threads, is small beside
// a handshake.
class server {
public:
    struct options {
        std::vector<listener> listeners;
        muster::clock* clock;
        limits allowed = {};
        std::size_t loops = 1;
        // Addresses that stand for many clients, such as a load balancer's: the limit of one
        // address is not for them.
        std::vector<network> proxies = {};
    };

    // Listens when it returns. An address in use or not ours is an error that says which.
    static result<std::unique_ptr<server>> start(options options);

    server(const server&) = delete;
    server& operator=(const server&) = delete;
    // Cuts every connection and waits until nothing of ours runs; drain() first to be polite.
    ~server();

    // Stops accepting, ends idle connections and event streams, lets running requests finish, and
    // cuts what is left after `timeout`: so many connections. From any executor; once.
    async<std::size_t> drain(monotonic::duration timeout);

    // Ends when every event loop has had a turn: a loop that hangs never has. From any executor.
    async<void> pulse();

    std::uint16_t port(std::size_t listener_index) const;
    const counters& counted() const;
    std::vector<std::size_t> connections_by_loop() const;

private:
    struct state;
    explicit server(std::unique_ptr<state> all);

    std::unique_ptr<state> state_;
};

}  // namespace muster::net::http
