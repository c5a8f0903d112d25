#include "apps/command_line/command.h"

#include "base/assert.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

namespace muster::command_line {
namespace {

// CLI11's own checks print all digits of a double.
CLI::Validator number_check(std::function<bool(double)> fits, std::string problem) {
    const auto check = [fits = std::move(fits),
                        problem = std::move(problem)](const std::string& text) {
        double number = 0;
        const bool valid = CLI::detail::lexical_cast(text, number) && fits(number);
        return valid ? std::string() : "`" + text + "` " + problem;
    };
    return {check, "", ""};
}

}  // namespace

option* option::required() {
    native_.required();
    return this;
}

option* option::type_name(std::string name) {
    native_.type_name(std::move(name));
    return this;
}

option* option::show_default() {
    native_.capture_default_str();
    return this;
}

option* option::environment(std::string name) {
    native_.envname(std::move(name));
    return this;
}

option* option::excludes(const option* other) {
    native_.excludes(&other->native_);
    return this;
}

option* option::take_last() {
    native_.take_last();
    return this;
}

option* option::one_value() {
    native_.allow_extra_args(false);
    return this;
}

option* option::group(const std::string& name) {
    native_.group(name);
    return this;
}

option* option::delimiter(char separator) {
    native_.delimiter(separator);
    return this;
}

option* option::one_of(std::vector<std::string> words) {
    native_.check(CLI::IsMember(words).description(""));
    return suggest(std::move(words));
}

option* option::between(double least, double most) {
    native_.check(number_check(
        [least, most](double number) { return least <= number && number <= most; },
        fmt::format("is not a number from {:.15g} to {:.15g}", least, most)));
    return this;
}

option* option::positive() {
    native_.check(
        number_check([](double number) { return number > 0; }, "is not a number above 0"));
    return this;
}

option* option::existing_file() {
    native_.check(CLI::ExistingFile);
    return this;
}

option* option::suggest(std::vector<std::string> words) {
    words_ = std::move(words);
    return this;
}

command::command(CLI::App& native) : native_(native) {}

command::~command() = default;

option* command::add(CLI::Option* native) {
    return options_.emplace_back(std::make_unique<option>(*native)).get();
}

command* command::add_subcommand(std::string name, std::string about) {
    auto* const added = native_.add_subcommand(std::move(name), std::move(about));
    return subcommands_.emplace_back(std::make_unique<command>(*added)).get();
}

template <class T>
option* command::add_option(std::string names, T& target, std::string about) {
    return add(native_.add_option(std::move(names), target, std::move(about)));
}

template option* command::add_option(std::string, std::string&, std::string);
template option* command::add_option(std::string, std::vector<std::string>&, std::string);
template option* command::add_option(std::string, std::optional<std::string>&, std::string);
template option* command::add_option(std::string, std::filesystem::path&, std::string);
template option* command::add_option(std::string, int&, std::string);
template option* command::add_option(std::string, unsigned&, std::string);
template option* command::add_option(std::string, std::int64_t&, std::string);
template option* command::add_option(std::string, std::uint64_t&, std::string);
template option* command::add_option(std::string, double&, std::string);
template option* command::add_option(std::string, std::optional<int>&, std::string);
template option* command::add_option(std::string, std::optional<double>&, std::string);

option* command::add_flag(std::string names, bool& target, std::string about) {
    return add(native_.add_flag(std::move(names), target, std::move(about)));
}

option* command::add_setting(
    std::string names, const std::function<void(const std::string&)>& callback, std::string about) {
    return add(
        native_.add_option_function<std::string>(std::move(names), callback, std::move(about)));
}

option* command::add_choice(
    std::string names,
    std::vector<std::pair<std::string, int>> words,
    std::function<void(int)> callback,
    std::string about) {
    auto* const added =
        native_.add_option_function<int>(std::move(names), std::move(callback), std::move(about));
    std::vector<std::string> suggestions;
    for (const auto& [word, meaning] : words) suggestions.push_back(word);
    added->transform(CLI::CheckedTransformer(std::move(words)).description(""));
    return add(added)->suggest(std::move(suggestions));
}

command* command::callback(std::function<void()> action) {
    native_.callback(std::move(action));
    return this;
}

command* command::footer(std::string text) {
    native_.footer(std::move(text));
    return this;
}

command* command::require_subcommand(int least, int most) {
    native_.require_subcommand(static_cast<std::size_t>(least), static_cast<std::size_t>(most));
    return this;
}

command* command::default_subcommand(const std::string& name) {
    default_subcommand_ = find_subcommand(name);
    MUSTER_ASSERT(default_subcommand_ != nullptr);
    auto& native = default_subcommand_->native();
    native.description(native.get_description() + " (default)");
    return this;
}

const command* command::find_subcommand(const std::string& name) const {
    for (const auto& subcommand : subcommands_) {
        if (subcommand->native().get_name() == name) return subcommand.get();
    }
    return nullptr;
}

program::program(std::string name, std::string about)
    : native_(std::make_unique<CLI::App>(std::move(about), std::move(name))),
      root_(std::make_unique<command>(*native_)) {
    native_->set_version_flag(
        "--version", native_->get_name() + " " MUSTER_VERSION, "Print the version");
}

program::~program() = default;

}  // namespace muster::command_line
