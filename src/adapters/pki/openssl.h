#pragma once

#include "base/result.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string_view>

namespace muster::pki {

// Owners of OpenSSL's objects. Only code of adapters/pki and adapters/net looks inside.
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

// What OpenSSL has to say about the last call of this thread; empties its queue of errors.
error openssl_error(errc code, std::string_view step);

// A read-only view of `text` as a BIO; `text` must outlive it.
owned_bio reading(std::string_view text);

// What was written to a memory BIO.
std::string_view written(BIO* memory);

}  // namespace muster::pki
