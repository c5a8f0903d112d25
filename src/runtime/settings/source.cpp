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

// Sees where a further document of a file begins that holds anything.
class document_watch final : public YAML::EventHandler {
public:
    // The line of the second document; nothing when the first is all there is.
    std::optional<int> later_line(const std::string& yaml) {
        std::istringstream in(yaml);
        YAML::Parser parser(in);
        while (!later_ && parser.HandleNextDocument(*this)) ++documents_;
        return later_;
    }

    void OnDocumentStart(const YAML::Mark& /*at*/) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& /*at*/, YAML::anchor_t /*anchor*/) override {}
    void OnAlias(const YAML::Mark& at, YAML::anchor_t /*anchor*/) override { something(at); }
    void OnScalar(
        const YAML::Mark& at,
        const std::string& /*tag*/,
        YAML::anchor_t /*anchor*/,
        const std::string& /*value*/) override {
        something(at);
    }
    void OnSequenceStart(
        const YAML::Mark& at,
        const std::string& /*tag*/,
        YAML::anchor_t /*anchor*/,
        YAML::EmitterStyle::value /*style*/) override {
        something(at);
    }
    void OnSequenceEnd() override {}
    void OnMapStart(
        const YAML::Mark& at,
        const std::string& /*tag*/,
        YAML::anchor_t /*anchor*/,
        YAML::EmitterStyle::value /*style*/) override {
        something(at);
    }
    void OnMapEnd() override {}

private:
    void something(const YAML::Mark& at) {
        if (documents_ > 0 && !later_) later_ = at.line + 1;
    }

    int documents_ = 0;
    std::optional<int> later_;
};

// Walks the tree of one file; a path through it is a setting's dotted name.
class file_reader {
public:
    file_reader(catalogue all, std::string file_name)
        : all_(all), known_(names_of(all)), file_name_(std::move(file_name)) {}

    reading read(const std::string& yaml) {
        try {
            const YAML::Node root = YAML::Load(yaml);
            if (const auto line = document_watch().later_line(yaml)) {
                problems_.push_back(fmt::format(
                    "{}:{}: a second document (after `---`) would not be read; write one",
                    file_name_,
                    *line));
            } else if (root.IsMap()) {
                take_map(root, "");
            } else if (!root.IsNull()) {
                problem(root, "expected settings as `name: value`");
            }
        } catch (const YAML::Exception& failure) {
            problems_.push_back(
                fmt::format("{}:{}: {}", file_name_, failure.mark.line + 1, failure.msg));
        }
        return {.written = std::move(written_), .problems = std::move(problems_)};
    }

private:
    void problem(const YAML::Node& at, std::string_view text) {
        problems_.push_back(fmt::format("{}: {}", place(at), text));
    }

    std::string place(const YAML::Node& at) const {
        return fmt::format("{}:{}", file_name_, at.Mark().line + 1);
    }

    void take_map(const YAML::Node& map, const std::string& above) {
        for (const auto& each : map) {
            if (!each.first.IsScalar()) {
                problem(each.first, "a setting's name must be plain text");
                continue;
            }
            const auto name = above + each.first.Scalar();
            take(name, each.first, each.second);
        }
    }

    void take(const std::string& name, const YAML::Node& key, const YAML::Node& value) {
        const auto* setting = find_setting(all_, name);
        if (value.IsMap()) {
            // One problem for a misspelt group, not one for each setting in it.
            if (is_group(name)) {
                take_map(value, name + '.');
            } else if (setting != nullptr) {
                wrong_shape(*setting, key);
            } else {
                unknown(name, key);
            }
        } else if (setting == nullptr) {
            unknown(name, key);
        } else if (!seen_.insert(name).second) {
            problem(key, fmt::format("`{}` is set twice", name));
        } else {
            take_value(*setting, key, value);
        }
    }

    void take_value(const setting& setting, const YAML::Node& key, const YAML::Node& value) {
        std::string text;
        if (value.IsScalar()) {
            text = value.Scalar();
        } else if (value.IsSequence() && setting.kind == setting_kind::choices) {
            for (const auto& item : value) {
                if (!item.IsScalar()) return wrong_shape(setting, key);
                text += (text.empty() ? "" : ",") + item.Scalar();
            }
        } else if (value.IsNull()) {
            return problem(key, fmt::format("`{}` has no value", setting.name));
        } else {
            return wrong_shape(setting, key);
        }
        written_.push_back({std::string(setting.name), std::move(text), place(key)});
    }

    void wrong_shape(const setting& setting, const YAML::Node& key) {
        const auto* const what =
            setting.kind == setting_kind::choices ? "a list or text" : "a single value";
        problem(
            key,
            fmt::format("`{}` takes {}, such as `{}`", setting.name, what, sample_line(setting)));
    }

    bool is_group(const std::string& name) const {
        return std::ranges::any_of(
            known_, [&](const std::string& each) { return each.starts_with(name + '.'); });
    }

    void unknown(const std::string& name, const YAML::Node& key) {
        problem(key, fmt::format("unknown setting `{}`{}", name, did_you_mean(name, known_)));
    }

    catalogue all_;
    std::vector<std::string> known_;
    std::string file_name_;
    std::set<std::string> seen_;
    std::vector<written_setting> written_;
    std::vector<std::string> problems_;
};

}  // namespace

reading read_settings_text(catalogue all, const std::string& yaml, const std::string& file_name) {
    return file_reader(all, file_name).read(yaml);
}

reading read_settings_file(catalogue all, const std::filesystem::path& file) {
    errno = 0;
    std::ifstream in(file);
    std::string content(file_bytes_max + 1, '\0');
    in.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (!in.is_open() || in.bad()) {
        const auto why = std::generic_category().message(errno);
        return {
            .written = {}, .problems = {fmt::format("{}: cannot be read: {}", file.string(), why)}};
    }
    content.resize(static_cast<std::size_t>(in.gcount()));
    if (content.size() > file_bytes_max)
        return {
            .written = {},
            .problems = {fmt::format("{}: larger than {} bytes", file.string(), file_bytes_max)}};
    return read_settings_text(all, content, file.string());
}

}  // namespace muster::runtime
