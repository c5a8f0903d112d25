#include "roles/node/connections/facts_document.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace muster::node {
namespace {

constexpr std::size_t path_bytes_max = 256;
constexpr std::size_t value_bytes_max = std::size_t{64} * 1024;

bool is_json(std::string_view text) {
    boost::system::error_code failure;
    boost::json::parse_options strict;
    strict.max_depth = 16;
    boost::json::parse(boost::json::string_view(text.data(), text.size()), failure, {}, strict);
    return !failure;
}

std::unexpected<error> malformed_document() {
    return fail(errc::corrupt, "stored facts are not a JSON object of paths");
}

// The end of the JSON text at the front: the first comma or closing brace outside of strings and
// nested values.
std::size_t end_of_value(std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t position = 0; position < text.size(); ++position) {
        const char c = text[position];
        if (quoted) {
            if (c == '\\') ++position;
            if (c == '"') quoted = false;
            continue;
        }
        if (c == '"') quoted = true;
        if (depth == 0 && (c == ',' || c == '}')) return position;
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
    }
    return std::string_view::npos;
}

// The end of the quoted text at the front, its closing quote included.
std::size_t end_of_name(std::string_view text) {
    for (std::size_t position = 1; position < text.size(); ++position) {
        if (text[position] == '\\')
            ++position;
        else if (text[position] == '"')
            return position + 1;
    }
    return std::string_view::npos;
}

result<std::string> parse_name(std::string_view name) {
    boost::system::error_code failure;
    const auto parsed =
        boost::json::parse(boost::json::string_view(name.data(), name.size()), failure);
    if (failure || !parsed.is_string()) return malformed_document();
    return std::string(parsed.get_string());
}

}  // namespace

std::string to_document(const facts& values) {
    std::string document = "{";
    for (const auto& [path, value] : values) {
        if (document.size() > 1) document += ',';
        document += boost::json::serialize(boost::json::string(path));
        document += ':';
        document += value;
    }
    document += '}';
    return document;
}

result<facts> parse_document(std::string_view document) {
    if (!is_json(document) || !document.starts_with('{') || !document.ends_with('}'))
        return malformed_document();
    std::string_view remaining = document.substr(1);
    facts result;
    while (remaining != "}") {
        const auto name_end =
            remaining.starts_with('"') ? end_of_name(remaining) : std::string_view::npos;
        if (name_end == std::string_view::npos || name_end >= remaining.size()
            || remaining[name_end] != ':')
            return malformed_document();
        TRY(std::string path, parse_name(remaining.substr(0, name_end)));
        remaining.remove_prefix(name_end + 1);
        const auto value_end = end_of_value(remaining);
        if (value_end == std::string_view::npos) return malformed_document();
        result.emplace(std::move(path), std::string(remaining.substr(0, value_end)));
        remaining.remove_prefix(remaining[value_end] == ',' ? value_end + 1 : value_end);
    }
    return result;
}

result<void> check(const facts& values) {
    for (const auto& [path, value] : values) {
        if (path.empty() || path.size() > path_bytes_max)
            return fail(errc::invalid, "fact path must have 1 to 256 bytes");
        if (value.size() > value_bytes_max || !is_json(value))
            return fail(errc::invalid, "fact \"" + path + "\" must be JSON of at most 64 KiB");
    }
    return {};
}

}  // namespace muster::node
