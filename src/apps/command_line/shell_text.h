#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::command_line {

struct command_description;

// Helpers of the completion scripts.

// Quotes for bash and zsh.
std::string quote_for_shell(std::string_view text);
// Quotes for fish, where backslashes escape within single quotes.
std::string quote_for_fish(std::string_view text);

std::string join_words(std::span<const std::string> words);

// Flags of a command that take a value.
std::vector<std::string> flags_with_value(const command_description& command);

// Words that need no quoting in any shell.
std::vector<std::string> safe_words(std::span<const std::string> words);

// Replaces each @ except that of "$@" by the program's name.
std::string insert_name(std::string_view text, const std::string& name);

// The text up to its first line end.
std::string first_line(std::string_view text);

}  // namespace muster::command_line
