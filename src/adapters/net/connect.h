#pragma once

#include "adapters/net/endpoint.h"
#include "adapters/net/outbound_address_policy.h"
#include "adapters/net/stream.h"
#include "adapters/net/tls_context.h"
#include "ports/async.h"

#include <memory>
#include <optional>

namespace muster::net {

struct destination {
    endpoint address;
    std::shared_ptr<const tls_client> tls;  // null: without TLS, for loopback only
    // Overrides which addresses may be called, with and without TLS.
    std::shared_ptr<const address_filter> allowed = nullptr;
    std::optional<endpoint> proxy = std::nullopt;  // SOCKS5
};

// Resolves the name, connects to its addresses in turn and performs the handshake. Has no timeout:
// use within(). errc::invalid if no address is allowed.
async<std::unique_ptr<stream>> connect(destination destination);

}  // namespace muster::net
