#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace muster::command_line {

struct command_description;

// What a manual page says beside what the command line declares.
struct manual_frame {
    std::string version;
    std::vector<std::pair<std::string, std::string>> exit_codes;  // the number and what it means
};

// The manual page of the command that `words` lead to from the root, and of all below it, in roff
// for `man -l`. Empty when there is no such command.
std::string manual_page(
    const command_description& root, std::span<const std::string> words, const manual_frame& frame);

}  // namespace muster::command_line
