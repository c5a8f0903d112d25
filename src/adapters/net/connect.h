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
    endpoint where;
    std::shared_ptr<const tls_client> tls;  // null: in the clear, which only loopback may be
    // Says instead which addresses may be called, with TLS and in the clear.
    std::shared_ptr<const address_filter> allowed = nullptr;
    std::optional<endpoint> through = std::nullopt;  // a SOCKS5 proxy
};

// Resolves, connects (each address in turn) and shakes hands. Give it a deadline: within().
// errc::invalid when no address may be called.
async<std::unique_ptr<stream>> connect(destination to);

}  // namespace muster::net
