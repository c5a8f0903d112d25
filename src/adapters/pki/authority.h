#pragma once

#include "adapters/pki/certificate.h"
#include "adapters/pki/key.h"
#include "base/time.h"

#include <chrono>
#include <string>
#include <vector>

namespace muster::pki {

// What a server shows and proves: its certificate first, then its issuers up to the CA, so that a
// joiner can pin the CA by its fingerprint alone.
struct identity {
    std::vector<certificate> chain;
    private_key key;
};

// Reads and checks both texts: they belong together, and the certificate is valid at `now`.
result<identity> read_identity(std::string_view chain_pem, std::string_view key_pem, wall_time now);

// The cluster's own certificate authority: EC P-256, self-signed, signs servers only.
class authority {
public:
    static constexpr std::chrono::days lifetime{3653};
    static constexpr std::chrono::days server_lifetime{90};
    // Certificates are dated back by this, because hosts' clocks differ.
    static constexpr std::chrono::hours clock_skew{1};

    static result<authority> make(std::string cluster_name, wall_time now);
    static result<authority> from_pem(std::string_view certificate_pem, std::string_view key_pem);

    struct server_request {
        std::string name;                // the common name; also put among the DNS names
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
