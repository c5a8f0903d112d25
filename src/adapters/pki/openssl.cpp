#include "adapters/pki/openssl.h"

#include "base/assert.h"

#include <openssl/err.h>

#include <array>
#include <climits>
#include <string>

namespace muster::pki {

error openssl_error(errc code, std::string_view step) {
    std::string detail(step);
    // The first entry is the cause; later entries are its callers.
    if (const unsigned long cause = ERR_get_error(); cause != 0) {
        std::array<char, 256> text{};
        const char* reason = ERR_reason_error_string(cause);
        if (reason == nullptr) {
            ERR_error_string_n(cause, text.data(), text.size());
            reason = text.data();
        }
        detail += std::string(": ") + reason;
    }
    ERR_clear_error();
    return {code, std::move(detail)};
}

owned_bio open_bio(std::string_view text) {
    MUSTER_ASSERT(text.size() <= INT_MAX);
    return owned_bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string_view bio_content(BIO* memory) {
    char* start = nullptr;
    const long size = BIO_get_mem_data(memory, &start);
    return {start, static_cast<std::size_t>(size)};
}

}  // namespace muster::pki
