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

constexpr std::size_t announced_max = 8;

using owned_name = std::unique_ptr<X509_NAME, pki::freed_by<X509_NAME_free>>;

void free_names(STACK_OF(X509_NAME) * names) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
}
using owned_names = std::unique_ptr<STACK_OF(X509_NAME), pki::freed_by<free_names>>;

// 64 digits, the size limit of a common name.
std::string to_digits(const pki::fingerprint& fingerprint) {
    const auto& bytes = fingerprint.bytes();
    return to_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

owned_name to_name(const pki::fingerprint& fingerprint) {
    owned_name result(X509_NAME_new());
    const std::string text = to_digits(fingerprint);
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    const int size = static_cast<int>(text.size());
    const bool done = result
                      && X509_NAME_add_entry_by_NID(
                             result.get(), NID_commonName, MBSTRING_ASC, bytes, size, -1, 0)
                             == 1;
    return done ? std::move(result) : nullptr;
}

std::vector<owned_name> to_task_names(const trust& trusted) {
    std::vector<owned_name> names;
    if (const auto* pin = std::get_if<pinned_authority>(&trusted)) {
        names.push_back(to_name(pin->fingerprint));
        return names;
    }
    for (const auto& certificate : std::get<trusted_authorities>(trusted).certificates)
        names.emplace_back(X509_NAME_dup(X509_get_subject_name(certificate.native())));
    return names;
}

std::string common_name(const X509_NAME* name) {
    const int index = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
    if (index < 0) return {};
    const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index));
    const auto size = static_cast<std::size_t>(ASN1_STRING_length(text));
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)), size};
}

}  // namespace

result<void> announce_authorities(SSL_CTX* client, const trust& trusted) {
    auto names = to_task_names(trusted);
    if (names.size() > announced_max) return {};
    owned_names list(sk_X509_NAME_new_null());
    for (auto& name : names) {
        if (!list || !name || sk_X509_NAME_push(list.get(), name.get()) <= 0)
            return fail(pki::openssl_error(errc::unavailable, "listing the trusted CAs"));
        static_cast<void>(name.release());  // the list owns it
    }
    SSL_CTX_set0_CA_list(client, list.release());
    return {};
}

bool client_trusts(SSL* client, const pki::certificate& authority) {
    const STACK_OF(X509_NAME)* announced = SSL_get0_peer_CA_list(client);
    if (sk_X509_NAME_num(announced) <= 0) return false;
    const X509_NAME* subject = X509_get_subject_name(authority.native());
    const std::string fingerprint = to_digits(authority.fingerprint());
    for (int index = 0; index < sk_X509_NAME_num(announced); ++index) {
        const X509_NAME* name = sk_X509_NAME_value(announced, index);
        if (X509_NAME_cmp(name, subject) == 0 || common_name(name) == fingerprint) return true;
    }
    return false;
}

}  // namespace muster::net
