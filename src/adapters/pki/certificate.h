#pragma once

#include "adapters/pki/fingerprint.h"
#include "adapters/pki/key.h"
#include "adapters/pki/openssl.h"
#include "base/time.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::pki {

// An X.509 certificate. Immutable and cheap to copy.
class certificate {
public:
    static result<certificate> from_pem(std::string_view pem);
    // All certificates of the text, at least one: the leaf first, then its issuers.
    static result<std::vector<certificate>> chain_from_pem(std::string_view pem);
    explicit certificate(owned_x509 native) : native_(std::move(native)) {}

    std::string to_pem() const;
    std::string serial() const;       // lower-case hexadecimal
    std::string common_name() const;  // of the subject; may be empty
    wall_time not_before() const;
    wall_time not_after() const;
    pki::fingerprint fingerprint() const;  // SHA-256 over the DER form, for pinning

    // The error names the date if the certificate is not yet valid or expired.
    result<void> check_valid_at(wall_time now) const;
    bool is_signed_by(const certificate& issuer) const;
    result<void> check_belongs_to(const private_key& key) const;

    X509* native() const { return native_.get(); }

private:
    std::shared_ptr<X509> native_;
};

// "2031-05-04 09:00:00 UTC"
std::string to_text(wall_time time);

}  // namespace muster::pki
