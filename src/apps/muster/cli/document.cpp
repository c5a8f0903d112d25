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
constexpr std::size_t nodes_max = 100'000;  // including repeated references
constexpr std::size_t depth_max = 32;

json::value to_scalar(const YAML::Node& node, scalar_mode mode) {
    const auto text = node.as<std::string>();
    json::value as_text(text);
    const bool quoted = node.Tag() == "!";
    if (mode == scalar_mode::texts || quoted) return as_text;
    json::error_code failure;
    auto typed = json::parse(text, failure);
    const bool is_typed = !failure && !typed.is_string() && typed.is_primitive();
    return is_typed ? typed : as_text;
}

class yaml_reader {
public:
    explicit yaml_reader(scalar_mode mode) : mode_(mode) {}

    // Nothing if the document is too large or too deep.
    std::optional<json::value> to_value(const YAML::Node& node, std::size_t depth) {
        if (depth > depth_max || ++nodes_ > nodes_max) return std::nullopt;
        if (node.IsMap()) return to_object(node, depth);
        if (node.IsSequence()) return to_array(node, depth);
        return node.IsScalar() ? to_scalar(node, mode_) : json::value(nullptr);
    }

private:
    std::optional<json::value> to_object(const YAML::Node& node, std::size_t depth) {
        json::object members;
        for (const auto& member : node) {
            auto child = to_value(member.second, depth + 1);
            if (!child) return std::nullopt;
            members[member.first.as<std::string>()] = *std::move(child);
        }
        return members;
    }
    std::optional<json::value> to_array(const YAML::Node& node, std::size_t depth) {
        json::array items;
        for (const auto& item : node) {
            auto child = to_value(item, depth + 1);
            if (!child) return std::nullopt;
            items.push_back(*std::move(child));
        }
        return items;
    }

    scalar_mode mode_;
    std::size_t nodes_ = 0;
};

}  // namespace

result<json::value> read_document(std::string_view text, scalar_mode mode) {
    json::error_code failure;
    auto parsed = json::parse({text.data(), text.size()}, failure);
    if (!failure) return parsed;
    // The YAML library throws; this is the only place that catches its exceptions.
    try {
        auto converted = yaml_reader(mode).to_value(YAML::Load(std::string(text)), 0);
        if (!converted)
            return fail(errc::invalid, "document is nested too deeply or has too many elements");
        return *std::move(converted);
    } catch (const YAML::Exception& exception) {
        return fail(
            errc::invalid, std::string("neither valid JSON nor valid YAML: ") + exception.what());
    }
}

result<std::string> read_text_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (stream) text << stream.rdbuf();
    if (!stream) return fail(errc::invalid, file.string() + ": cannot read the file");
    if (text.view().size() > file_bytes_max)
        return fail(errc::invalid, file.string() + ": file is larger than 4 MiB");
    return text.str();
}

}  // namespace muster::cli
