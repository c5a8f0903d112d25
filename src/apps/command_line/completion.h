#pragma once

#include <string>

namespace muster::command_line {

struct described_command;

// The script by which a shell completes the commands and flags of a program. It knows what the
// command line declares, and asks nobody.
std::string bash_completion(const described_command& root);
std::string zsh_completion(const described_command& root);
std::string fish_completion(const described_command& root);

}  // namespace muster::command_line
