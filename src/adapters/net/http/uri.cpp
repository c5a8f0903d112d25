#include "adapters/net/http/uri.h"

#include "base/hex.h"

#include <algorithm>

namespace muster::net::http {
namespace {

bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
           || c == '.' || c == '_' || c == '~';
}

std::optional<std::string> decode_query_text(std::string_view text) {
    std::string spaced(text);
    std::ranges::replace(spaced, '+', ' ');
    auto decoded = percent_decode(spaced);
    if (!decoded) return std::nullopt;
    return *std::move(decoded);
}

}  // namespace

result<std::string> percent_decode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t index = 0; index < text.size(); ++index) {
        if (text[index] != '%') {
            out += text[index];
            continue;
        }
        const auto digits = text.substr(index + 1, 2);
        const auto byte = from_hex(digits);
        if (!byte || digits.size() != 2 || byte->front() == '\0')
            return fail(errc::invalid, "percent sign must be followed by two hexadecimal digits");
        out += *byte;
        index += 2;
    }
    return out;
}

std::string percent_encode(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (is_unreserved(c))
            out += c;
        else
            out += '%' + to_hex(std::string_view(&c, 1));
    }
    return out;
}

namespace {

struct query_pair {
    std::string_view name;
    std::string_view value;
};

// Removes the first "a=1" from the query.
query_pair pop_pair(std::string_view& query) {
    const auto end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    return {pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size()))};
}

}  // namespace

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
    while (!query.empty()) {
        const auto pair = pop_pair(query);
        if (decode_query_text(pair.name) == name) return decode_query_text(pair.value);
    }
    return std::nullopt;
}

result<query_pairs> parse_query(std::string_view query) {
    query_pairs pairs;
    while (!query.empty()) {
        const auto pair = pop_pair(query);
        if (pair.name.empty() && pair.value.empty()) continue;
        auto name = decode_query_text(pair.name);
        auto value = decode_query_text(pair.value);
        if (!name || !value) return fail(errc::invalid, "malformed query encoding");
        pairs.emplace_back(*std::move(name), *std::move(value));
    }
    return pairs;
}

}  // namespace muster::net::http
