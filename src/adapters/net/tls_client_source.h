#pragma once

#include "adapters/net/tls_context.h"
#include "base/result.h"

#include <memory>

namespace muster::net {

// Hands out the TLS client context with the current certificate, which may be renewed at any time.
// Thread-safe.
class tls_client_source {
public:
    tls_client_source() = default;
    tls_client_source(const tls_client_source&) = delete;
    tls_client_source& operator=(const tls_client_source&) = delete;
    virtual ~tls_client_source() = default;

    // errc::unavailable while there is no certificate.
    virtual result<std::shared_ptr<const tls_client>> current() const = 0;
};

}  // namespace muster::net
