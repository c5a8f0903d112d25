#pragma once

#include "adapters/net/endpoint.h"
#include "adapters/net/stream.h"
#include "adapters/net/tls_context.h"
#include "ports/async.h"

#include <memory>

namespace muster::net {

struct destination {
    endpoint where;
    std::shared_ptr<const tls_client> tls;  // null: in the clear, which only loopback may be
};

// Resolves, connects (each address in turn) and shakes hands. Give it a deadline: within().
async<std::unique_ptr<stream>> connect(destination to);

}  // namespace muster::net
