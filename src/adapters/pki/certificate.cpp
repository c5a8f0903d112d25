#include "adapters/pki/certificate.h"

#include "base/assert.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>

namespace muster::pki {
namespace {

wall_time to_wall_time(const ASN1_TIME* time) {
    std::tm calendar{};
    MUSTER_ASSERT(ASN1_TIME_to_tm(time, &calendar) == 1);
    return wall_time(std::chrono::seconds(::timegm(&calendar)));
}

}  // namespace

std::string to_text(wall_time time) {
    const std::time_t seconds =
        std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds));
}

result<certificate> certificate::from_pem(std::string_view pem) {
    TRY(auto chain, chain_from_pem(pem));
    return std::move(chain.front());
}

result<std::vector<certificate>> certificate::chain_from_pem(std::string_view pem) {
    std::vector<certificate> chain;
    const owned_bio input = open_bio(pem);
    while (X509* next = PEM_read_bio_X509(input.get(), nullptr, nullptr, nullptr))
        chain.push_back(certificate(owned_x509(next)));
    const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    if (chain.empty() || !at_end)
        return fail(openssl_error(errc::invalid, "not a PEM certificate"));
    ERR_clear_error();
    return chain;
}

std::string certificate::to_pem() const {
    const owned_bio output(BIO_new(BIO_s_mem()));
    MUSTER_ASSERT(PEM_write_bio_X509(output.get(), native_.get()) == 1);
    return std::string(bio_content(output.get()));
}

std::string certificate::serial() const {
    const std::unique_ptr<BIGNUM, freed_by<BN_free>> number(
        ASN1_INTEGER_to_BN(X509_get0_serialNumber(native_.get()), nullptr));
    MUSTER_ASSERT(number != nullptr);
    char* digits = BN_bn2hex(number.get());
    std::string text(digits);
    OPENSSL_free(digits);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string certificate::common_name() const {
    std::array<char, 256> text{};
    const int size = X509_NAME_get_text_by_NID(
        X509_get_subject_name(native_.get()), NID_commonName, text.data(), text.size());
    return size < 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
}

wall_time certificate::not_before() const {
    return to_wall_time(X509_get0_notBefore(native_.get()));
}

wall_time certificate::not_after() const {
    return to_wall_time(X509_get0_notAfter(native_.get()));
}

pki::fingerprint certificate::fingerprint() const {
    unsigned char* der = nullptr;
    const int size = i2d_X509(native_.get(), &der);
    MUSTER_ASSERT(size > 0);
    auto digest =
        sha256_fingerprint({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
    OPENSSL_free(der);
    return digest;
}

result<void> certificate::check_valid_at(wall_time now) const {
    if (now < not_before()) {
        return fail(
            errc::invalid,
            fmt::format(
                "certificate of \"{}\" is not valid before {} (now {}); check the clock",
                common_name(),
                to_text(not_before()),
                to_text(now)));
    }
    if (now > not_after()) {
        return fail(
            errc::invalid,
            fmt::format(
                "certificate of \"{}\" expired on {} (now {}); renew the certificate",
                common_name(),
                to_text(not_after()),
                to_text(now)));
    }
    return {};
}

bool certificate::is_signed_by(const certificate& issuer) const {
    const bool verified = X509_verify(native_.get(), X509_get0_pubkey(issuer.native())) == 1;
    ERR_clear_error();
    return verified;
}

result<void> certificate::check_belongs_to(const private_key& key) const {
    const bool fits = X509_check_private_key(native_.get(), key.native()) == 1;
    ERR_clear_error();
    if (!fits) {
        return fail(
            errc::invalid,
            fmt::format("certificate of \"{}\" belongs to another private key", common_name()));
    }
    return {};
}

}  // namespace muster::pki
