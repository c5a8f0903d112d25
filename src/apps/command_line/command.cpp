#include "apps/command_line/command.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

namespace muster::command_line {
namespace {

// CLI11's own checks tell of ranges with all digits that a double has.
CLI::Validator number_check(std::function<bool(double)> fits, std::string otherwise) {
    const auto check = [fits = std::move(fits),
                        otherwise = std::move(otherwise)](const std::string& text) {
        double number = 0;
        const bool well = CLI::detail::lexical_cast(text, number) && fits(number);
        return well ? std::string() : "`" + text + "` " + otherwise;
    };
    return {check, "", ""};
}

}  // namespace

option* option::required() {
    under_.required();
    return this;
}

option* option::type_name(std::string name) {
    under_.type_name(std::move(name));
    return this;
}

option* option::show_default() {
    under_.capture_default_str();
    return this;
}

option* option::environment(std::string name) {
    under_.envname(std::move(name));
    return this;
}

option* option::excludes(const option* other) {
    under_.excludes(&other->under_);
    return this;
}

option* option::take_last() {
    under_.take_last();
    return this;
}

option* option::one_value() {
    under_.allow_extra_args(false);
    return this;
}

option* option::group(const std::string& name) {
    under_.group(name);
    return this;
}

option* option::delimiter(char between) {
    under_.delimiter(between);
    return this;
}

option* option::one_of(std::vector<std::string> words) {
    under_.check(CLI::IsMember(words).description(""));
    return suggest(std::move(words));
}

option* option::between(double least, double most) {
    under_.check(number_check(
        [least, most](double number) { return least <= number && number <= most; },
        fmt::format("is not a number from {:.15g} to {:.15g}", least, most)));
    return this;
}

option* option::positive() {
    under_.check(number_check([](double number) { return number > 0; }, "is not a number above 0"));
    return this;
}

option* option::existing_file() {
    under_.check(CLI::ExistingFile);
    return this;
}

option* option::suggest(std::vector<std::string> words) {
    words_ = std::move(words);
    return this;
}

command::command(CLI::App& under) : under_(under) {}

command::~command() = default;

option* command::keep(CLI::Option* result) {
    return options_.emplace_back(std::make_unique<option>(*result)).get();
}

command* command::add_subcommand(std::string name, std::string about) {
    auto* const made = under_.add_subcommand(std::move(name), std::move(about));
    return below_.emplace_back(std::make_unique<command>(*made)).get();
}

template <class T>
option* command::add_option(std::string names, T& into, std::string about) {
    return keep(under_.add_option(std::move(names), into, std::move(about)));
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

option* command::add_flag(std::string names, bool& into, std::string about) {
    return keep(under_.add_flag(std::move(names), into, std::move(about)));
}

option* command::add_setting(
    std::string names, const std::function<void(const std::string&)>& take, std::string about) {
    return keep(under_.add_option_function<std::string>(std::move(names), take, std::move(about)));
}

option* command::add_choice(
    std::string names,
    std::vector<std::pair<std::string, int>> words,
    std::function<void(int)> take,
    std::string about) {
    auto* const made =
        under_.add_option_function<int>(std::move(names), std::move(take), std::move(about));
    std::vector<std::string> existing;
    for (const auto& [word, meaning] : words) existing.push_back(word);
    made->transform(CLI::CheckedTransformer(std::move(words)).description(""));
    return keep(made)->suggest(std::move(existing));
}

command* command::callback(std::function<void()> then) {
    under_.callback(std::move(then));
    return this;
}

command* command::footer(std::string text) {
    under_.footer(std::move(text));
    return this;
}

command* command::require_subcommand(int least, int most) {
    under_.require_subcommand(static_cast<std::size_t>(least), static_cast<std::size_t>(most));
    return this;
}

bool command::subcommand_chosen() const {
    return !under_.get_subcommands().empty();
}

program::program(std::string name, std::string about)
    : under_(std::make_unique<CLI::App>(std::move(about), std::move(name))),
      root_(std::make_unique<command>(*under_)) {}

program::~program() = default;

}  // namespace muster::command_line
