#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;  // NOLINT(readability-identifier-naming): a foreign name
}  // namespace CLI

namespace muster::command_line {

// A flag or an operand. Owned by its command. Setters return the option for chaining.
class option {
public:
    explicit option(CLI::Option& native) : native_(native) {}

    option* required();
    option* type_name(std::string name);  // name of the value in the help
    option* show_default();               // shows the current value of the variable in the help
    option* environment(std::string name);
    option* excludes(const option* other);
    option* take_last();  // the last of several values wins
    option* one_value();  // one value per occurrence
    option* group(const std::string& name);
    option* delimiter(char separator);

    option* one_of(std::vector<std::string> words);
    option* between(double least, double most);
    option* positive();
    option* existing_file();
    // Values offered by completion; other values are accepted, too.
    option* suggest(std::vector<std::string> words);

    const std::vector<std::string>& words() const { return words_; }
    const CLI::Option& native() const { return native_; }

private:
    CLI::Option& native_;
    std::vector<std::string> words_;
};

// A command of a program with its options and subcommands. Wraps CLI11, whose header is included in
// this folder only: it adds eight seconds to the compilation of a file.
class command {
public:
    explicit command(CLI::App& native);
    command(const command&) = delete;
    command& operator=(const command&) = delete;
    ~command();

    command* add_subcommand(std::string name, std::string about);

    // For texts, numbers, paths, and lists or optionals of texts: see command.cpp.
    template <class T>
    option* add_option(std::string names, T& target, std::string about);
    option* add_flag(std::string names, bool& target, std::string about);
    // Calls `callback` with each value.
    option* add_setting(
        std::string names,
        const std::function<void(const std::string&)>& callback,
        std::string about);
    // Calls `callback` with the number of the chosen word.
    option* add_choice(
        std::string names,
        std::vector<std::pair<std::string, int>> words,
        std::function<void(int)> callback,
        std::string about);

    // Called if this command is chosen.
    command* callback(std::function<void()> action);
    command* footer(std::string text);
    command* require_subcommand(int least, int most);
    // Runs the subcommand `name` if the arguments name none: `muster systems` is `systems list`.
    // The flags and operands are those of the subcommand. Call after add_subcommand().
    command* default_subcommand(const std::string& name);
    const command* default_subcommand() const { return default_subcommand_; }
    const command* find_subcommand(const std::string& name) const;
    // The number of arguments of the program behind --; set by parse() on the root command.
    std::size_t words_behind_separator() const { return words_behind_separator_; }
    void set_words_behind_separator(std::size_t count) { words_behind_separator_ = count; }

    CLI::App& native() const { return native_; }
    const std::vector<std::unique_ptr<command>>& subcommands() const { return subcommands_; }
    const std::vector<std::unique_ptr<option>>& options() const { return options_; }

private:
    option* add(CLI::Option* native);

    CLI::App& native_;
    std::vector<std::unique_ptr<command>> subcommands_;
    std::vector<std::unique_ptr<option>> options_;
    const command* default_subcommand_ = nullptr;
    std::size_t words_behind_separator_ = 0;
};

// A program: owns the root command, which has the flags --help and --version.
class program {
public:
    program(std::string name, std::string about);
    program(const program&) = delete;
    program& operator=(const program&) = delete;
    ~program();

    command& root() { return *root_; }

private:
    std::unique_ptr<CLI::App> native_;
    std::unique_ptr<command> root_;
};

}  // namespace muster::command_line
