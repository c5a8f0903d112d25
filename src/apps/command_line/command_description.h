#pragma once

#include <string>
#include <vector>

namespace muster::command_line {

class command;

// A flag or an operand as its command declares it.
struct described_option {
    std::vector<std::string> flags;  // "-o", "--output"; none: it can only stand for itself
    std::string operand;             // "QUERY"; empty: it is only given by its flag
    std::string value;               // what follows the flag, as the help calls it; empty: nothing
    std::string about;
    std::string environment;         // the variable that stands in for it
    std::vector<std::string> words;  // values it can have, as far as they are known
    bool required = false;
    bool many = false;  // more than one value

    bool takes_file() const;

    friend bool operator==(const described_option&, const described_option&) = default;
};

// A command, its flags and what can follow it, as data: what completion scripts and manual pages
// are made from, so that neither can differ from what is parsed.
struct command_description {
    std::string name;
    std::string about;
    std::string examples;     // the text below the help
    bool needs_more = false;  // it is nothing without one of those below
    std::vector<described_option> options;
    std::vector<command_description> below;
};

command_description describe(const command& from);

// A command and the words that lead to it, "muster users add".
struct command_path {
    std::string words;
    const command_description* command;
};

// The command and all below it, each after the one it belongs to.
std::vector<command_path> all_paths(const command_description& root);

}  // namespace muster::command_line
