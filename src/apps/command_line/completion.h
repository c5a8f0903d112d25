#pragma once

#include <string>

namespace muster::command_line {

struct command_description;

// Generates a completion script for the commands and flags of a program. The script works offline.
std::string bash_completion(const command_description& root);
std::string zsh_completion(const command_description& root);
std::string fish_completion(const command_description& root);

}  // namespace muster::command_line
