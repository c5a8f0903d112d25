#include "runtime/settings/source.h"

#include "runtime/settings/documents.h"
#include "runtime/settings/nearest.h"

#include <fmt/format.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

namespace muster::runtime {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{1024} * 1024;

// Finds the first content of a second document in a YAML file.
class second_document_finder final : public YAML::EventHandler {
public:
    // The line of that content; nothing if only the first document has content.
    std::optional<int> find_line(const std::string& yaml) {
        std::istringstream stream(yaml);
        YAML::Parser parser(stream);
        while (!second_line_ && parser.HandleNextDocument(*this)) ++documents_;
        return second_line_;
    }

    void OnDocumentStart(const YAML::Mark& /*at*/) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& /*at*/, YAML::anchor_t /*anchor*/) override {}
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { on_content(mark); }
    void OnScalar(
        const YAML::Mark& mark,
        const std::string& /*tag*/,
        YAML::anchor_t /*anchor*/,
        const std::string& /*value*/) override {
        on_content(mark);
    }
    void OnSequenceStart(
        const YAML::Mark& mark,
        const std::string& /*tag*/,
        YAML::anchor_t /*anchor*/,
        YAML::EmitterStyle::value /*style*/) override {
        on_content(mark);
    }
    void OnSequenceEnd() override {}
    void OnMapStart(
        const YAML::Mark& mark,
        const std::string& /*tag*/,
        YAML::anchor_t /*anchor*/,
        YAML::EmitterStyle::value /*style*/) override {
        on_content(mark);
    }
    void OnMapEnd() override {}

private:
    void on_content(const YAML::Mark& mark) {
        if (documents_ > 0 && !second_line_) second_line_ = mark.line + 1;
    }

    int documents_ = 0;
    std::optional<int> second_line_;
};

// Reads the tree of one YAML file. The path to a value is the setting's dotted name.
class file_reader {
public:
    file_reader(catalogue catalogue, std::string file_name)
        : catalogue_(catalogue), names_(names_of(catalogue)), file_name_(std::move(file_name)) {}

    settings_source read(const std::string& yaml) {
        try {
            const YAML::Node root = YAML::Load(yaml);
            if (const auto line = second_document_finder().find_line(yaml)) {
                problems_.push_back(fmt::format(
                    "{}:{}: multiple YAML documents (`---`) are not supported; use one document",
                    file_name_,
                    *line));
            } else if (root.IsMap()) {
                read_map(root, "");
            } else if (!root.IsNull()) {
                add_problem(root, "expected settings as `name: value`");
            }
        } catch (const YAML::Exception& failure) {
            problems_.push_back(
                fmt::format("{}:{}: {}", file_name_, failure.mark.line + 1, failure.msg));
        }
        return {.entries = std::move(entries_), .problems = std::move(problems_)};
    }

private:
    void add_problem(const YAML::Node& node, std::string_view text) {
        problems_.push_back(fmt::format("{}: {}", position_of(node), text));
    }

    std::string position_of(const YAML::Node& node) const {
        return fmt::format("{}:{}", file_name_, node.Mark().line + 1);
    }

    void read_map(const YAML::Node& map, const std::string& prefix) {
        for (const auto& entry : map) {
            if (!entry.first.IsScalar()) {
                add_problem(entry.first, "setting name must be plain text");
                continue;
            }
            const auto name = prefix + entry.first.Scalar();
            read_entry(name, entry.first, entry.second);
        }
    }

    void read_entry(const std::string& name, const YAML::Node& key, const YAML::Node& value) {
        const auto* setting = find_setting(catalogue_, name);
        if (value.IsMap()) {
            // One problem for a misspelt group, not one for each setting in it.
            if (is_group(name)) {
                read_map(value, name + '.');
            } else if (setting != nullptr) {
                add_shape_problem(*setting, key);
            } else {
                add_unknown_problem(name, key);
            }
        } else if (setting == nullptr) {
            add_unknown_problem(name, key);
        } else if (!set_names_.insert(name).second) {
            add_problem(key, fmt::format("duplicate setting \"{}\"", name));
        } else {
            read_value(*setting, key, value);
        }
    }

    void read_value(const setting& setting, const YAML::Node& key, const YAML::Node& value) {
        std::string text;
        if (value.IsScalar()) {
            text = value.Scalar();
        } else if (value.IsSequence() && setting.kind == setting_kind::choices) {
            for (const auto& item : value) {
                if (!item.IsScalar()) return add_shape_problem(setting, key);
                text += (text.empty() ? "" : ",") + item.Scalar();
            }
        } else if (value.IsNull()) {
            return add_problem(key, fmt::format("setting \"{}\" has no value", setting.name));
        } else {
            return add_shape_problem(setting, key);
        }
        entries_.push_back({std::string(setting.name), std::move(text), position_of(key)});
    }

    void add_shape_problem(const setting& setting, const YAML::Node& key) {
        const auto* const expected =
            setting.kind == setting_kind::choices ? "a list or a string" : "a single value";
        add_problem(
            key,
            fmt::format(
                "setting \"{}\" must be {}, such as `{}`",
                setting.name,
                expected,
                sample_line(setting)));
    }

    bool is_group(const std::string& name) const {
        return std::ranges::any_of(
            names_, [&](const std::string& setting) { return setting.starts_with(name + '.'); });
    }

    void add_unknown_problem(const std::string& name, const YAML::Node& key) {
        add_problem(key, fmt::format("unknown setting \"{}\"{}", name, did_you_mean(name, names_)));
    }

    catalogue catalogue_;
    std::vector<std::string> names_;
    std::string file_name_;
    std::set<std::string> set_names_;
    std::vector<written_setting> entries_;
    std::vector<std::string> problems_;
};

}  // namespace

settings_source read_settings_text(
    catalogue catalogue, const std::string& yaml, const std::string& file_name) {
    return file_reader(catalogue, file_name).read(yaml);
}

settings_source read_settings_file(catalogue catalogue, const std::filesystem::path& file) {
    errno = 0;
    std::ifstream stream(file);
    std::string content(file_bytes_max + 1, '\0');
    stream.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (!stream.is_open() || stream.bad()) {
        const auto reason = std::generic_category().message(errno);
        return {
            .entries = {}, .problems = {fmt::format("{}: read failed: {}", file.string(), reason)}};
    }
    content.resize(static_cast<std::size_t>(stream.gcount()));
    if (content.size() > file_bytes_max)
        return {
            .entries = {},
            .problems = {fmt::format("{}: larger than {} bytes", file.string(), file_bytes_max)}};
    return read_settings_text(catalogue, content, file.string());
}

}  // namespace muster::runtime
