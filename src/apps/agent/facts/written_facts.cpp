#include "apps/agent/facts/sources.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>

// Facts that administrators write into facts.d: JSON, YAML, or NAME=VALUE lines. Files are read and
// never executed.
namespace muster::agent {
namespace {

namespace json = boost::json;

constexpr int depth_max = 16;

// YAML scalars have no type: a quoted one stays text.
json::value to_scalar(const YAML::Node& node) {
    const auto& text = node.Scalar();
    if (node.Tag() == "!") return json::value(json::string(text));
    if (text == "true" || text == "false") return json::value(text == "true");
    if (text == "null" || text == "~") return {};
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [stopped, failed] = std::from_chars(text.data(), end, number);
    if (failed == std::errc() && stopped == end) return json::value(number);
    return json::value(json::string(text));
}

json::value to_value(const YAML::Node& node, int depth) {
    if (depth > depth_max) throw YAML::Exception(node.Mark(), "nesting too deep");
    if (node.IsScalar()) return to_scalar(node);
    if (node.IsSequence()) {
        json::array result;
        for (const auto& element : node) result.push_back(to_value(element, depth + 1));
        return result;
    }
    if (!node.IsMap()) return {};
    json::object result;
    for (const auto& member : node)
        result.insert_or_assign(member.first.as<std::string>(), to_value(member.second, depth + 1));
    return result;
}

result<json::value> read_yaml(const std::string& text) {
    // Aliases can multiply the size of a document; facts do not need them.
    if (text.contains('&') && text.contains('*'))
        return fail(errc::invalid, "anchors and aliases are not supported");
    try {
        return to_value(YAML::Load(text), 0);
    } catch (const YAML::Exception& failure) {
        return fail(errc::invalid, fmt::format("line {}: {}", failure.mark.line + 1, failure.msg));
    }
}

result<json::value> read_json(const std::string& text) {
    json::error_code failure;
    json::parse_options options;
    options.max_depth = depth_max;
    auto value = json::parse(text, failure, {}, options);
    if (failure) return fail(errc::invalid, failure.message());
    return value;
}

result<json::value> read_lines(const std::string& text) {
    json::object result;
    for (const auto line : split_lines(text)) {
        if (line.empty() || line.starts_with('#')) continue;
        const auto equals = line.find('=');
        if (equals == std::string_view::npos || equals == 0)
            return fail(
                errc::invalid, fmt::format("invalid line \"{}\"; expected NAME=VALUE", line));
        const auto value = line.substr(equals + 1);
        const auto name = line.substr(0, equals);
        result.insert_or_assign(
            json::string_view(name.data(), name.size()), json::string(value.data(), value.size()));
    }
    return json::value(std::move(result));
}

result<json::value> read_facts(const std::filesystem::path& file) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);
    if (failure) return fail(errc::denied, failure.message());
    if (size > fact_limits::file_bytes_max)
        return fail(
            errc::invalid,
            fmt::format("file exceeds the limit of {} bytes", fact_limits::file_bytes_max));
    const auto text = read_text(file);
    if (!text) return fail(errc::denied, "cannot read the file");
    const auto extension = file.extension();
    if (extension == ".json") return read_json(*text);
    if (extension == ".txt") return read_lines(*text);
    return read_yaml(*text);
}

}  // namespace

void add_written_facts(fact_builder& facts, const std::filesystem::path& directory) {
    std::error_code missing;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory, missing)) {
        const auto extension = entry.path().extension();
        std::error_code failure;
        const bool known_format = extension == ".json" || extension == ".yaml"
                                  || extension == ".yml" || extension == ".txt";
        if (known_format && entry.is_regular_file(failure)) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    if (files.size() > fact_limits::files_max) {
        facts.add_problem(fmt::format("too many files in {}", directory.string()));
        files.resize(fact_limits::files_max);
    }
    for (const auto& file : files) {
        const auto document = read_facts(file);
        if (!document) {
            facts.add_problem(fmt::format("{}: {}", file.string(), document.error().detail()));
        } else if (!document->is_object()) {
            facts.add_problem(fmt::format("{}: expected a map of names to values", file.string()));
        } else {
            facts.add("", *document);
        }
    }
}

}  // namespace muster::agent
