#include "apps/muster/cli/facts_file.h"

#include "roles/fleet/fact_texts.h"

#include <boost/json.hpp>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t file_bytes_max = std::size_t{4} * 1024 * 1024;
constexpr std::size_t nodes_max = 100'000;  // also of what is repeated by reference
constexpr std::size_t depth_max = 32;

// Nothing when the document is too large or too deep.
std::optional<json::value> value_of(const YAML::Node& from, std::size_t depth, std::size_t& nodes) {
    if (depth > depth_max || ++nodes > nodes_max) return std::nullopt;
    if (from.IsMap()) {
        json::object members;
        for (const auto& each : from) {
            auto below = value_of(each.second, depth + 1, nodes);
            if (!below) return std::nullopt;
            members[each.first.as<std::string>()] = *std::move(below);
        }
        return members;
    }
    if (from.IsSequence()) {
        json::array items;
        for (const auto& each : from) {
            auto below = value_of(each, depth + 1, nodes);
            if (!below) return std::nullopt;
            items.push_back(*std::move(below));
        }
        return items;
    }
    if (from.IsScalar()) return json::value(from.as<std::string>());
    return json::value(nullptr);
}

result<json::value> parse_yaml(const std::string& text) {
    // The one place that meets the library's exceptions.
    try {
        std::size_t nodes = 0;
        auto read = value_of(YAML::Load(text), 0, nodes);
        if (!read) return fail(errc::invalid, "the facts are nested too deeply or too many");
        return *std::move(read);
    } catch (const YAML::Exception& wrong) {
        return fail(errc::invalid, std::string("neither JSON nor YAML: ") + wrong.what());
    }
}

}  // namespace

result<std::vector<targeting::fact>> read_facts_text(std::string_view text) {
    json::error_code failure;
    auto read = json::parse({text.data(), text.size()}, failure);
    if (failure) {
        TRY(read, parse_yaml(std::string(text)));
    }
    const auto* const members = read.if_object();
    if (members == nullptr)
        return fail(errc::invalid, "facts are a mapping of names to values, such as os: Debian");
    return fleet::fact_texts(*members);
}

result<std::vector<targeting::fact>> read_facts_file(const std::filesystem::path& file) {
    std::ifstream from(file, std::ios::binary);
    std::ostringstream text;
    if (from) text << from.rdbuf();
    if (!from) return fail(errc::invalid, file.string() + ": cannot be read");
    if (text.view().size() > file_bytes_max)
        return fail(errc::invalid, file.string() + ": has more than 4 MiB");
    auto read = read_facts_text(text.view());
    if (!read) return fail(read.error().within(file.string()));
    return read;
}

}  // namespace muster::cli
