#include "apps/muster/cli/document.h"

#include <boost/json.hpp>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <optional>
#include <sstream>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t file_bytes_max = std::size_t{4} * 1024 * 1024;
constexpr std::size_t nodes_max = 100'000;  // also of what is repeated by reference
constexpr std::size_t depth_max = 32;

json::value scalar_of(const YAML::Node& from, scalars how) {
    const auto text = from.as<std::string>();
    json::value as_it_stands(text);
    const bool quoted = from.Tag() == "!";
    if (how == scalars::texts || quoted) return as_it_stands;
    json::error_code failure;
    auto looks_like = json::parse(text, failure);
    const bool plain = !failure && !looks_like.is_string() && looks_like.is_primitive();
    return plain ? looks_like : as_it_stands;
}

class yaml_reader {
public:
    explicit yaml_reader(scalars scalars) : options_(scalars) {}

    // Nothing when the document is too large or too deep.
    std::optional<json::value> value_of(const YAML::Node& from, std::size_t depth) {
        if (depth > depth_max || ++nodes_ > nodes_max) return std::nullopt;
        if (from.IsMap()) return members_of(from, depth);
        if (from.IsSequence()) return items_of(from, depth);
        return from.IsScalar() ? scalar_of(from, options_) : json::value(nullptr);
    }

private:
    std::optional<json::value> members_of(const YAML::Node& from, std::size_t depth) {
        json::object members;
        for (const auto& each : from) {
            auto below = value_of(each.second, depth + 1);
            if (!below) return std::nullopt;
            members[each.first.as<std::string>()] = *std::move(below);
        }
        return members;
    }
    std::optional<json::value> items_of(const YAML::Node& from, std::size_t depth) {
        json::array items;
        for (const auto& each : from) {
            auto below = value_of(each, depth + 1);
            if (!below) return std::nullopt;
            items.push_back(*std::move(below));
        }
        return items;
    }

    scalars options_;
    std::size_t nodes_ = 0;
};

}  // namespace

result<json::value> read_document(std::string_view text, scalars scalars) {
    json::error_code failure;
    auto read = json::parse({text.data(), text.size()}, failure);
    if (!failure) return read;
    // The one place that meets the library's exceptions.
    try {
        auto parsed = yaml_reader(scalars).value_of(YAML::Load(std::string(text)), 0);
        if (!parsed) return fail(errc::invalid, "it is nested too deeply or has too many parts");
        return *std::move(parsed);
    } catch (const YAML::Exception& wrong) {
        return fail(errc::invalid, std::string("neither JSON nor YAML: ") + wrong.what());
    }
}

result<std::string> read_text_file(const std::filesystem::path& file) {
    std::ifstream from(file, std::ios::binary);
    std::ostringstream text;
    if (from) text << from.rdbuf();
    if (!from) return fail(errc::invalid, file.string() + ": cannot be read");
    if (text.view().size() > file_bytes_max)
        return fail(errc::invalid, file.string() + ": has more than 4 MiB");
    return text.str();
}

}  // namespace muster::cli
