#include "adapters/pki/fingerprint.h"

#include "base/assert.h"
#include "base/hex.h"

#include <openssl/evp.h>

#include <algorithm>
#include <vector>

namespace muster::pki {
namespace {

constexpr std::size_t digest_size = 32;
constexpr std::size_t text_size = digest_size * 3 - 1;

bool is_canonical(std::string_view text) {
    if (text.size() != text_size) return false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (at % 3 == 2 ? c != ':' : !digit) return false;
    }
    return true;
}

// Lines that hold more than white space, each without its line end.
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

result<fingerprint> parse_fingerprint(std::string_view text) {
    if (!is_canonical(text)) {
        return fail(
            errc::invalid,
            "a fingerprint is 32 pairs of lower-case hexadecimal digits with colons between");
    }
    return fingerprint(std::string(text));
}

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
    std::string text;
    text.reserve(text_size);
    for (const char byte : sha256(bytes)) {
        if (!text.empty()) text += ':';
        text += to_hex(std::string_view(&byte, 1));
    }
    return fingerprint(std::move(text));
}

result<fingerprint> pem_fingerprint(std::string_view pem) {
    const auto lines = lines_with_text(pem);
    if (lines.size() < 3) {
        return fail(
            errc::invalid, "a key in PEM has a BEGIN line, at least one line of text, an END line");
    }
    std::string body;
    for (auto line = lines.begin() + 1; line != lines.end() - 1; ++line) {
        body += *line;
        body += '\n';
    }
    return sha256_fingerprint(body);
}

}  // namespace muster::pki
