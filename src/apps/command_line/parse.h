#pragma once

#include <string>
#include <vector>

namespace muster::command_line {

class command;

enum class parse_outcome {
    chosen,        // run the chosen command
    help_printed,  // help or version; nothing else to do
    invalid,       // the problem was printed to standard error
};

// Parses the arguments of a program. Suggests the nearest name for an unknown flag or command.
parse_outcome parse(command& root, std::vector<std::string> words);

}  // namespace muster::command_line
