#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace muster::command_line {

struct command_description;

// Parts of a manual page that the command line does not declare.
struct manual_frame {
    std::string version;
    std::vector<std::pair<std::string, std::string>> exit_codes;  // number and meaning
};

// The roff manual page of the command that `words` name below the root, with its subcommands. Empty
// if there is no such command.
std::string manual_page(
    const command_description& root, std::span<const std::string> words, const manual_frame& frame);

}  // namespace muster::command_line
