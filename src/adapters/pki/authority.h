#pragma once

#include "adapters/pki/certificate.h"
#include "adapters/pki/key.h"
#include "base/time.h"

#include <chrono>
#include <string>
#include <vector>

namespace muster::pki {

// A server's certificate chain and key: its certificate first, then its issuers up to the CA, so
// that a joining server can pin the CA by its fingerprint.
struct identity {
    std::vector<certificate> chain;
    private_key key;
};

// Reads both texts; checks that they belong together and that the certificates are valid at `now`.
result<identity> read_identity(std::string_view chain_pem, std::string_view key_pem, wall_time now);

// The cluster's certificate authority: EC P-256, self-signed, signs server certificates only.
class authority {
public:
    static constexpr std::chrono::days lifetime{3653};
    static constexpr std::chrono::days server_lifetime{90};
    // Validity starts this much earlier, because clocks of hosts differ.
    static constexpr std::chrono::hours clock_skew{1};

    static result<authority> create(std::string cluster_name, wall_time now);
    static result<authority> from_pem(std::string_view certificate_pem, std::string_view key_pem);

    struct server_request {
        std::string name;                // common name, also added to the DNS names
        std::vector<std::string> hosts;  // further DNS names and IP addresses
        wall_time now;
        std::chrono::seconds valid_for = server_lifetime;
    };

    // For both ends of mutual TLS: serverAuth and clientAuth.
    result<identity> issue(server_request request) const;

    const pki::certificate& certificate() const { return certificate_; }
    const private_key& key() const { return key_; }

private:
    authority(pki::certificate certificate, private_key key)
        : certificate_(std::move(certificate)), key_(std::move(key)) {}

    pki::certificate certificate_;
    private_key key_;
};

}  // namespace muster::pki
