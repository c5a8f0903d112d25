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

namespace {

struct query_words {
    std::string_view name;
    std::string_view value;
};

// Cuts the first "a=1" off.
query_words take_pair(std::string_view& query) {
    const auto end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    return {pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size()))};
}

}  // namespace

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
    while (!query.empty()) {
        const auto words = take_pair(query);
        if (decoded_query_word(words.name) == name) return decoded_query_word(words.value);
    }
    return std::nullopt;
}

result<query_pairs> all_of_query(std::string_view query) {
    query_pairs match;
    while (!query.empty()) {
        const auto words = take_pair(query);
        if (words.name.empty() && words.value.empty()) continue;
        auto name = decoded_query_word(words.name);
        auto value = decoded_query_word(words.value);
        if (!name || !value) return fail(errc::invalid, "the query is not well encoded");
        match.emplace_back(*std::move(name), *std::move(value));
    }
    return match;
}

}  // namespace muster::net::http
