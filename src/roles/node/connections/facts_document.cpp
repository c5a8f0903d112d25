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
    boost::system::error_code failed;
    boost::json::parse_options strict;
    strict.max_depth = 16;
    boost::json::parse(boost::json::string_view(text.data(), text.size()), failed, {}, strict);
    return !failed;
}

std::unexpected<error> not_a_document() {
    return fail(errc::corrupt, "the stored facts are not a JSON object of paths");
}

// The end of the JSON text at the front: where, outside of strings and nested values, a comma or
// the object's end stands.
std::size_t end_of_value(std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted) {
            if (c == '\\') ++at;
            if (c == '"') quoted = false;
            continue;
        }
        if (c == '"') quoted = true;
        if (depth == 0 && (c == ',' || c == '}')) return at;
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
    }
    return std::string_view::npos;
}

// The end of the quoted text at the front, its closing quote included.
std::size_t end_of_name(std::string_view text) {
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    return std::string_view::npos;
}

result<std::string> unquoted(std::string_view name) {
    boost::system::error_code failed;
    const auto read =
        boost::json::parse(boost::json::string_view(name.data(), name.size()), failed);
    if (failed || !read.is_string()) return not_a_document();
    return std::string(read.get_string());
}

}  // namespace

std::string document_of(const facts& all) {
    std::string document = "{";
    for (const auto& [path, value] : all) {
        if (document.size() > 1) document += ',';
        document += boost::json::serialize(boost::json::string(path));
        document += ':';
        document += value;
    }
    document += '}';
    return document;
}

result<facts> facts_of(std::string_view document) {
    if (!is_json(document) || !document.starts_with('{') || !document.ends_with('}'))
        return not_a_document();
    std::string_view left = document.substr(1);
    facts read;
    while (left != "}") {
        const auto name_end = left.starts_with('"') ? end_of_name(left) : std::string_view::npos;
        if (name_end == std::string_view::npos || name_end >= left.size() || left[name_end] != ':')
            return not_a_document();
        TRY(std::string path, unquoted(left.substr(0, name_end)));
        left.remove_prefix(name_end + 1);
        const auto value_end = end_of_value(left);
        if (value_end == std::string_view::npos) return not_a_document();
        read.emplace(std::move(path), std::string(left.substr(0, value_end)));
        left.remove_prefix(left[value_end] == ',' ? value_end + 1 : value_end);
    }
    return read;
}

result<void> check(const facts& all) {
    for (const auto& [path, value] : all) {
        if (path.empty() || path.size() > path_bytes_max)
            return fail(errc::invalid, "a fact's path has 1 to 256 bytes");
        if (value.size() > value_bytes_max || !is_json(value))
            return fail(errc::invalid, "the fact " + path + " is not a JSON text within 64 KiB");
    }
    return {};
}

}  // namespace muster::node
