#pragma once

#include "adapters/pki/agent_proof.h"
#include "adapters/pki/certificate.h"
#include "base/time.h"
#include "ports/async.h"
#include "ports/clock.h"

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string>

namespace muster::net::http {

// The connection as seen by the handler of one request. Outlives the handler's coroutine.
class exchange {
public:
    exchange() = default;
    exchange(const exchange&) = delete;
    exchange& operator=(const exchange&) = delete;
    virtual ~exchange() = default;

    // The next piece of the request's body; empty at its end.
    virtual async<std::string> read_body() = 0;
    // Sends a piece of a streamed response.
    virtual async<void> write_body(std::string piece) = 0;
    // Ends, always with an error, when the client disconnects or the server stops.
    virtual async<void> wait_for_disconnect() = 0;

    virtual boost::asio::ip::address client_address() const = 0;
    virtual result<pki::channel_binding> channel_binding() const = 0;
    virtual std::optional<pki::certificate> client_certificate() const = 0;

    virtual muster::clock& clock() = 0;
    virtual monotonic::duration event_heartbeat() const = 0;
};

}  // namespace muster::net::http
