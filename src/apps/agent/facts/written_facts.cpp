#include "apps/agent/facts/sources.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>

// What administrators write into facts.d: JSON, YAML, or lines of name=value. Files only: nothing
// of that directory is ever run.
namespace muster::agent {
namespace {

namespace json = boost::json;

constexpr int depth_max = 16;

// YAML has no types before somebody asks for one: a quoted scalar stays text.
json::value scalar_of(const YAML::Node& node) {
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

json::value value_of(const YAML::Node& node, int depth) {
    if (depth > depth_max) throw YAML::Exception(node.Mark(), "too deeply nested");
    if (node.IsScalar()) return scalar_of(node);
    if (node.IsSequence()) {
        json::array result;
        for (const auto& each : node) result.push_back(value_of(each, depth + 1));
        return result;
    }
    if (!node.IsMap()) return {};
    json::object result;
    for (const auto& each : node)
        result.insert_or_assign(each.first.as<std::string>(), value_of(each.second, depth + 1));
    return result;
}

result<json::value> read_yaml(const std::string& text) {
    // An alias may stand for a large part many times over; facts need none.
    if (text.contains('&') && text.contains('*'))
        return fail(errc::invalid, "anchors and aliases are not taken");
    try {
        return value_of(YAML::Load(text), 0);
    } catch (const YAML::Exception& failure) {
        return fail(errc::invalid, fmt::format("line {}: {}", failure.mark.line + 1, failure.msg));
    }
}

result<json::value> read_json(const std::string& text) {
    json::error_code failure;
    json::parse_options options;
    options.max_depth = depth_max;
    auto read = json::parse(text, failure, {}, options);
    if (failure) return fail(errc::invalid, failure.message());
    return read;
}

result<json::value> read_lines(const std::string& text) {
    json::object result;
    for (const auto line : lines_of(text)) {
        if (line.empty() || line.starts_with('#')) continue;
        const auto equals = line.find('=');
        if (equals == std::string_view::npos || equals == 0)
            return fail(errc::invalid, fmt::format("`{}` is not NAME=VALUE", line));
        const auto value = line.substr(equals + 1);
        const auto name = line.substr(0, equals);
        result.insert_or_assign(
            json::string_view(name.data(), name.size()), json::string(value.data(), value.size()));
    }
    return json::value(std::move(result));
}

result<json::value> read(const std::filesystem::path& file) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);
    if (failure) return fail(errc::denied, failure.message());
    if (size > survey_limits::file_bytes_max)
        return fail(errc::invalid, fmt::format("larger than {}", survey_limits::file_bytes_max));
    const auto text = text_of(file);
    if (!text) return fail(errc::denied, "cannot be read");
    const auto kind = file.extension();
    if (kind == ".json") return read_json(*text);
    if (kind == ".txt") return read_lines(*text);
    return read_yaml(*text);
}

}  // namespace

void add_written_facts(collection& to, const std::filesystem::path& directory) {
    std::error_code missing;
    std::vector<std::filesystem::path> files;
    for (const auto& each : std::filesystem::directory_iterator(directory, missing)) {
        const auto kind = each.path().extension();
        std::error_code failure;
        const bool reserved =
            kind == ".json" || kind == ".yaml" || kind == ".yml" || kind == ".txt";
        if (reserved && each.is_regular_file(failure)) files.push_back(each.path());
    }
    std::ranges::sort(files);
    if (files.size() > survey_limits::files_max) {
        to.problem(fmt::format("{} has too many files", directory.string()));
        files.resize(survey_limits::files_max);
    }
    for (const auto& file : files) {
        const auto message = read(file);
        if (!message) {
            to.problem(fmt::format("{}: {}", file.string(), message.error().detail()));
        } else if (!message->is_object()) {
            to.problem(fmt::format("{}: names and values are expected", file.string()));
        } else {
            to.add("", *message);
        }
    }
}

}  // namespace muster::agent
