#pragma once

#include "adapters/net/tls_client_source.h"
#include "services/bootstrap/server_certificate_manager.h"

#include <atomic>
#include <memory>
#include <string>

namespace muster::bootstrap {

// The TLS client for other servers and the CA for joining servers, available once the certificates
// are loaded. Thread-safe.
class server_credentials final : public net::tls_client_source {
public:
    // `certificates` must outlive it.
    void open(const server_certificate_manager& certificates) { certificates_ = &certificates; }

    result<std::shared_ptr<const net::tls_client>> current() const override;

    // The CA of the cluster, in PEM.
    struct cluster_authority {
        std::string certificate;
        std::string key;
        std::string fingerprint;
    };
    result<cluster_authority> authority() const;

private:
    std::atomic<const server_certificate_manager*> certificates_ = nullptr;
};

}  // namespace muster::bootstrap
