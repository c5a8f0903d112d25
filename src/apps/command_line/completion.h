#pragma once

#include <string>

namespace muster::command_line {

struct command_description;

// The script by which a shell completes the commands and flags of a program. It knows what the
// command line declares, and asks nobody.
std::string bash_completion(const command_description& root);
std::string zsh_completion(const command_description& root);
std::string fish_completion(const command_description& root);

}  // namespace muster::command_line
