#pragma once

#include <string>
#include <vector>

namespace muster::command_line {

class command;

// A flag or an operand as declared.
struct option_description {
    std::vector<std::string> flags;  // "-o", "--output"; empty: an operand only
    std::string operand;             // "QUERY"; empty: a flag only
    std::string value;               // name of the flag's value in the help; empty: no value
    std::string about;
    std::string environment;         // variable that replaces the flag
    std::vector<std::string> words;  // known values
    bool required = false;
    bool many = false;  // more than one value

    bool takes_file() const;

    friend bool operator==(const option_description&, const option_description&) = default;
};

// A command tree as data. Completion scripts and manual pages are generated from it, so that they
// match the parser.
struct command_description {
    std::string name;
    std::string about;
    std::string examples;           // text below the help
    bool needs_subcommand = false;  // cannot run on its own
    std::vector<option_description> options;
    std::vector<command_description> subcommands;
};

command_description describe(const command& command);

// A command and its full name, "muster users add".
struct command_path {
    std::string words;
    const command_description* command;
};

// The command and all its subcommands; parents come first.
std::vector<command_path> all_paths(const command_description& root);

}  // namespace muster::command_line
