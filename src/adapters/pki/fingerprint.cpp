#include "adapters/pki/fingerprint.h"

#include "adapters/pki/base64.h"
#include "base/assert.h"

#include <openssl/evp.h>

#include <algorithm>
#include <vector>

namespace muster::pki {
namespace {

constexpr std::size_t digest_size = fingerprint::size_bytes;

// Lines that are not blank, without their line ends.
std::vector<std::string_view> lines_with_text(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.find_first_not_of(" \t\r\v\f") != std::string_view::npos) lines.push_back(line);
    }
    return lines;
}

}  // namespace

std::string sha256(std::string_view bytes) {
    std::string digest(digest_size, '\0');
    std::size_t size = digest.size();
    const int done = EVP_Q_digest(
        nullptr,
        "SHA256",
        nullptr,
        bytes.data(),
        bytes.size(),
        reinterpret_cast<unsigned char*>(digest.data()),
        &size);
    MUSTER_ASSERT(done == 1);
    return digest;
}

fingerprint sha256_fingerprint(std::string_view bytes) {
    fingerprint::bytes_type digest{};
    std::ranges::transform(
        sha256(bytes), digest.begin(), [](char byte) { return static_cast<unsigned char>(byte); });
    return fingerprint(digest);
}

result<fingerprint> pem_fingerprint(std::string_view pem) {
    const auto lines = lines_with_text(pem);
    if (lines.size() < 3) {
        return fail(
            errc::invalid,
            "PEM key must have a BEGIN line, at least one line of text and an END line");
    }
    std::string body;
    for (auto line = lines.begin() + 1; line != lines.end() - 1; ++line) {
        body += *line;
        body += '\n';
    }
    return sha256_fingerprint(body);
}

fingerprint ed25519_fingerprint(std::string_view key) {
    MUSTER_ASSERT(key.size() == 32);
    // SubjectPublicKeyInfo up to the key itself (RFC 8410).
    std::string info("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", 12);
    info += key;
    return sha256_fingerprint(to_base64(info) + "\n");
}

}  // namespace muster::pki
