#include "adapters/pki/authority.h"

#include <arpa/inet.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace muster::pki {
namespace {

constexpr std::size_t name_size_max = 64;  // X.509 limit of a common name

struct validity {
    wall_time from;
    wall_time to;
};

struct extension {
    int nid;
    std::string value;
};

std::time_t to_seconds(wall_time time) {
    return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

bool is_ip_address(const std::string& host) {
    std::array<unsigned char, sizeof(in6_addr)> parsed{};
    return ::inet_pton(AF_INET, host.c_str(), parsed.data()) == 1
           || ::inet_pton(AF_INET6, host.c_str(), parsed.data()) == 1;
}

bool is_host_name(const std::string& host) {
    constexpr std::size_t host_size_max = 253;
    const auto is_allowed = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c == '*';
    };
    return !host.empty() && host.size() <= host_size_max && std::ranges::all_of(host, is_allowed);
}

// The names go into a comma-separated list for OpenSSL, so special characters are refused.
result<std::string> alternative_names(const std::set<std::string>& hosts) {
    std::string list;
    for (const auto& host : hosts) {
        const bool is_address = is_ip_address(host);
        if (!is_address && !is_host_name(host)) {
            return fail(errc::invalid, "\"" + host + "\" is neither a host name nor an IP address");
        }
        if (!list.empty()) list += ',';
        list += (is_address ? "IP:" : "DNS:") + host;
    }
    return list;
}

result<void> set_serial(X509* draft) {
    constexpr int serial_size = 16;
    std::array<unsigned char, serial_size> random{};
    if (RAND_bytes(random.data(), serial_size) != 1)
        return fail(openssl_error(errc::unavailable, "generating a serial number"));
    random[0] = static_cast<unsigned char>((random[0] & 0x7fU) | 0x40U);  // positive, never short
    const std::unique_ptr<BIGNUM, freed_by<BN_free>> number(
        BN_bin2bn(random.data(), serial_size, nullptr));
    BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(draft));
    return {};
}

result<void> set_names(X509* draft, const std::string& subject, const X509* issuer) {
    const bool done = X509_NAME_add_entry_by_NID(
                          X509_get_subject_name(draft),
                          NID_commonName,
                          MBSTRING_UTF8,
                          reinterpret_cast<const unsigned char*>(subject.data()),
                          static_cast<int>(subject.size()),
                          -1,
                          0)
                          == 1
                      && X509_set_issuer_name(draft, X509_get_subject_name(issuer)) == 1;
    if (!done) return fail(openssl_error(errc::invalid, "setting the certificate name"));
    return {};
}

result<void> add_extensions(X509* draft, X509* issuer, const std::vector<extension>& extensions) {
    X509V3_CTX context{};
    X509V3_set_ctx(&context, issuer, draft, nullptr, nullptr, 0);
    for (const auto& [nid, value] : extensions) {
        const std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>> result(
            X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
        if (!result || X509_add_ext(draft, result.get(), -1) != 1)
            return fail(openssl_error(errc::invalid, "extension " + value));
    }
    return {};
}

struct draft_options {
    std::string subject;
    validity valid;
    EVP_PKEY* subject_key;
    X509* issuer;  // null: self-signed
    EVP_PKEY* issuer_key;
    std::vector<extension> extensions;
};

result<certificate> sign_certificate(const draft_options& options) {
    if (options.subject.empty() || options.subject.size() > name_size_max)
        return fail(errc::invalid, "certificate name must have 1 to 64 characters");
    owned_x509 draft(X509_new());
    X509* issuer = options.issuer == nullptr ? draft.get() : options.issuer;
    X509_set_version(draft.get(), X509_VERSION_3);
    CHECK_OK(set_serial(draft.get()));
    CHECK_OK(set_names(draft.get(), options.subject, issuer));
    ASN1_TIME_set(X509_getm_notBefore(draft.get()), to_seconds(options.valid.from));
    ASN1_TIME_set(X509_getm_notAfter(draft.get()), to_seconds(options.valid.to));
    X509_set_pubkey(draft.get(), options.subject_key);
    CHECK_OK(add_extensions(draft.get(), issuer, options.extensions));
    if (X509_sign(draft.get(), options.issuer_key, EVP_sha256()) == 0)
        return fail(openssl_error(errc::unavailable, "signing the certificate"));
    return certificate(std::move(draft));
}

}  // namespace

result<identity> read_identity(
    std::string_view chain_pem, std::string_view key_pem, wall_time now) {
    TRY(auto chain, certificate::chain_from_pem(chain_pem));
    TRY(private_key key, private_key::from_pem(key_pem));
    CHECK_OK(chain.front().check_belongs_to(key));
    for (const auto& link : chain) {
        CHECK_OK(link.check_valid_at(now));
    }
    return identity{.chain = std::move(chain), .key = std::move(key)};
}

result<authority> authority::create(std::string cluster_name, wall_time now) {
    TRY(private_key key, private_key::create(key_kind::p256));
    const draft_options options{
        .subject = std::move(cluster_name),
        .valid = {.from = now - clock_skew, .to = now + lifetime},
        .subject_key = key.native(),
        .issuer = nullptr,
        .issuer_key = key.native(),
        .extensions =
            {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
             {NID_key_usage, "critical,keyCertSign,cRLSign"},
             {NID_subject_key_identifier, "hash"}},
    };
    TRY(pki::certificate certificate, sign_certificate(options));
    return authority(std::move(certificate), std::move(key));
}

result<authority> authority::from_pem(std::string_view certificate_pem, std::string_view key_pem) {
    TRY(pki::certificate certificate, pki::certificate::from_pem(certificate_pem));
    TRY(private_key key, private_key::from_pem(key_pem));
    CHECK_OK(certificate.check_belongs_to(key));
    if (X509_check_ca(certificate.native()) != 1) {
        return fail(
            errc::invalid,
            "certificate of \"" + certificate.common_name() + "\" is not a CA certificate");
    }
    return authority(std::move(certificate), std::move(key));
}

result<identity> authority::issue(server_request request) const {
    std::set<std::string> hosts(request.hosts.begin(), request.hosts.end());
    hosts.insert(request.name);
    TRY(const std::string names, alternative_names(hosts));
    TRY(private_key key, private_key::create(key_kind::p256));
    const draft_options options{
        .subject = std::move(request.name),
        .valid = {.from = request.now - clock_skew, .to = request.now + request.valid_for},
        .subject_key = key.native(),
        .issuer = certificate_.native(),
        .issuer_key = key_.native(),
        .extensions =
            {{NID_basic_constraints, "critical,CA:FALSE"},
             {NID_key_usage, "critical,digitalSignature"},
             {NID_ext_key_usage, "serverAuth,clientAuth"},
             {NID_subject_key_identifier, "hash"},
             {NID_authority_key_identifier, "keyid"},
             {NID_subject_alt_name, names}},
    };
    TRY(pki::certificate leaf, sign_certificate(options));
    return identity{.chain = {std::move(leaf), certificate_}, .key = std::move(key)};
}

}  // namespace muster::pki
