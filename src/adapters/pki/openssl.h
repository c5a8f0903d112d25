#pragma once

#include "base/result.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string_view>

namespace muster::pki {

// Owners of OpenSSL objects, for adapters/pki and adapters/net.
template <auto Free>
struct freed_by {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};

using owned_bio = std::unique_ptr<BIO, freed_by<BIO_free_all>>;
using owned_pkey = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using owned_pkey_context = std::unique_ptr<EVP_PKEY_CTX, freed_by<EVP_PKEY_CTX_free>>;
using owned_digest = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>>;
using owned_x509 = std::unique_ptr<X509, freed_by<X509_free>>;

// Describes OpenSSL's first error of this thread and clears its error queue.
error openssl_error(errc code, std::string_view step);

// A read-only view of `text` as a BIO; `text` must outlive it.
owned_bio open_bio(std::string_view text);

// The content of a memory BIO.
std::string_view bio_content(BIO* memory);

}  // namespace muster::pki
