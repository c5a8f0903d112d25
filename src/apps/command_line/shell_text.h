#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::command_line {

struct command_description;

// What the completion scripts of the shells have in common.

// In single quotes, for bash and zsh.
std::string shell_quoted(std::string_view text);
// In single quotes, for fish, which knows backslashes in them.
std::string fish_quoted(std::string_view text);

std::string spaced(std::span<const std::string> words);

// The flags of one command that a value follows.
std::vector<std::string> flags_with_value(const command_description& of);

// Of a choice's words those that no shell reads as anything else.
std::vector<std::string> plain_words(std::span<const std::string> words);

// With the program's name in place of each @ but the shell's own "$@".
std::string with_name(std::string_view text, const std::string& name);

// One line, without what would end it early.
std::string first_line(std::string_view text);

}  // namespace muster::command_line
