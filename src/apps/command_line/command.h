#pragma once

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

// A flag or an operand of a command. Belongs to its command; what narrows it returns it again.
class option {
public:
    explicit option(CLI::Option& under) : under_(under) {}

    option* required();
    option* type_name(std::string name);  // as the help calls its value
    option* show_default();               // what the variable holds now, in the help
    option* environment(std::string name);
    option* excludes(const option* other);
    option* take_last();  // of several
    option* one_value();  // each time it is given
    option* group(const std::string& name);
    option* delimiter(char between);

    option* one_of(std::vector<std::string> words);
    option* between(double least, double most);
    option* positive();
    option* existing_file();
    // What is offered when somebody asks for the rest of a word; other values are taken, too.
    option* suggest(std::vector<std::string> words);

    const std::vector<std::string>& words() const { return words_; }
    const CLI::Option& under() const { return under_; }

private:
    CLI::Option& under_;
    std::vector<std::string> words_;
};

// One command of a program and what can follow it. The parsing is CLI11's, which only this folder
// sees: its header costs eight seconds of compiling in every file that includes it.
class command {
public:
    explicit command(CLI::App& under);
    command(const command&) = delete;
    command& operator=(const command&) = delete;
    ~command();

    command* add_subcommand(std::string name, std::string about);

    // For texts, numbers, paths, and lists or optionals of texts: see command.cpp.
    template <class T>
    option* add_option(std::string names, T& into, std::string about);
    option* add_flag(std::string names, bool& into, std::string about);
    // Called with each value that is given.
    option* add_setting(
        std::string names, const std::function<void(const std::string&)>& take, std::string about);
    // A word, and what it stands for.
    option* add_choice(
        std::string names,
        std::vector<std::pair<std::string, int>> words,
        std::function<void(int)> take,
        std::string about);

    // When this command is the one that was named.
    command* callback(std::function<void()> then);
    command* footer(std::string text);
    command* require_subcommand(int least, int most);
    bool subcommand_chosen() const;

    CLI::App& under() const { return under_; }
    const std::vector<std::unique_ptr<command>>& below() const { return below_; }
    const std::vector<std::unique_ptr<option>>& options() const { return options_; }

private:
    option* keep(CLI::Option* result);

    CLI::App& under_;
    std::vector<std::unique_ptr<command>> below_;
    std::vector<std::unique_ptr<option>> options_;
};

// A program's words: the command at the root.
class program {
public:
    program(std::string name, std::string about);
    program(const program&) = delete;
    program& operator=(const program&) = delete;
    ~program();

    command& root() { return *root_; }

private:
    std::unique_ptr<CLI::App> under_;
    std::unique_ptr<command> root_;
};

}  // namespace muster::command_line
