#include "adapters/net/http/uri.h"

#include "base/hex.h"

#include <algorithm>

namespace muster::net::http {
namespace {

bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
           || c == '.' || c == '_' || c == '~';
}

std::optional<std::string> decoded_query_word(std::string_view word) {
    std::string spaced(word);
    std::ranges::replace(spaced, '+', ' ');
    auto decoded = percent_decoded(spaced);
    if (!decoded) return std::nullopt;
    return *std::move(decoded);
}

}  // namespace

result<std::string> percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        const auto digits = text.substr(at + 1, 2);
        const auto byte = from_hex(digits);
        if (!byte || digits.size() != 2 || byte->front() == '\0')
            return fail(errc::invalid, "a percent sign must be followed by two hexadecimal digits");
        out += *byte;
        at += 2;
    }
    return out;
}

std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (is_unreserved(c))
            out += c;
        else
            out += '%' + to_hex(std::string_view(&c, 1));
    }
    return out;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        const std::string_view pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        const auto equals = std::min(pair.find('='), pair.size());
        if (decoded_query_word(pair.substr(0, equals)) != name) continue;
        return decoded_query_word(pair.substr(std::min(equals + 1, pair.size())));
    }
    return std::nullopt;
}

}  // namespace muster::net::http
