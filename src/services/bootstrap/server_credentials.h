#pragma once

#include "adapters/net/tls_client_source.h"
#include "services/bootstrap/server_certificate_manager.h"

#include <atomic>
#include <memory>
#include <string>

namespace muster::bootstrap {

// What this server shows to other servers, and what it gives to one that joins: known from the
// moment its certificates are there. Thread-safe.
class server_credentials final : public net::tls_client_source {
public:
    // `certificates` must outlive it.
    void open(const server_certificate_manager& certificates) { certificates_ = &certificates; }

    result<std::shared_ptr<const net::tls_client>> current() const override;

    // The cluster's CA, in PEM.
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
