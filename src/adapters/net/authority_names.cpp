#include "adapters/net/authority_names.h"

#include "base/hex.h"

#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace muster::net {
namespace {

constexpr std::size_t told_max = 8;

using owned_name = std::unique_ptr<X509_NAME, pki::freed_by<X509_NAME_free>>;

void free_names(STACK_OF(X509_NAME) * names) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
}
using owned_names = std::unique_ptr<STACK_OF(X509_NAME), pki::freed_by<free_names>>;

// 64 digits: just what a common name may have.
std::string digits_of(const pki::fingerprint& print) {
    const auto& bytes = print.bytes();
    return to_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

owned_name name_of(const pki::fingerprint& print) {
    owned_name result(X509_NAME_new());
    const std::string text = digits_of(print);
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    const int size = static_cast<int>(text.size());
    const bool done = result
                      && X509_NAME_add_entry_by_NID(
                             result.get(), NID_commonName, MBSTRING_ASC, bytes, size, -1, 0)
                             == 1;
    return done ? std::move(result) : nullptr;
}

std::vector<owned_name> names_of(const trust& believed) {
    std::vector<owned_name> names;
    if (const auto* pin = std::get_if<pinned_authority>(&believed)) {
        names.push_back(name_of(pin->print));
        return names;
    }
    for (const auto& certificate : std::get<trusted_authorities>(believed).certificates)
        names.emplace_back(X509_NAME_dup(X509_get_subject_name(certificate.native())));
    return names;
}

std::string common_name(const X509_NAME* name) {
    const int at = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
    if (at < 0) return {};
    const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
    const auto size = static_cast<std::size_t>(ASN1_STRING_length(text));
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)), size};
}

}  // namespace

result<void> tell_authorities(SSL_CTX* client, const trust& believed) {
    auto names = names_of(believed);
    if (names.size() > told_max) return {};
    owned_names owned_names(sk_X509_NAME_new_null());
    for (auto& name : names) {
        if (!owned_names || !name || sk_X509_NAME_push(owned_names.get(), name.get()) <= 0)
            return fail(pki::openssl_error(errc::unavailable, "naming the CAs that are believed"));
        static_cast<void>(name.release());  // it is the list's now
    }
    SSL_CTX_set0_CA_list(client, owned_names.release());
    return {};
}

bool believes_in(SSL* client, const pki::certificate& authority) {
    const STACK_OF(X509_NAME)* told = SSL_get0_peer_CA_list(client);
    if (sk_X509_NAME_num(told) <= 0) return false;
    const X509_NAME* own = X509_get_subject_name(authority.native());
    const std::string print = digits_of(authority.fingerprint());
    for (int at = 0; at < sk_X509_NAME_num(told); ++at) {
        const X509_NAME* each = sk_X509_NAME_value(told, at);
        if (X509_NAME_cmp(each, own) == 0 || common_name(each) == print) return true;
    }
    return false;
}

}  // namespace muster::net
