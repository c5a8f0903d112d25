#pragma once

#include <string>
#include <vector>

namespace muster::command_line {

class command;

enum class parsed {
    chosen,    // a command: go on
    answered,  // help was asked for and printed
    wrong,     // it was explained on standard error
};

// Parses the words of a program. A wrong flag or command is answered with the nearest known one.
parsed parse(command& from, std::vector<std::string> words);

}  // namespace muster::command_line
