#pragma once

#include <string>

namespace muster::command_line {

struct command_description;

// The reference page of a program in Markdown: a section for each command, with its options in a
// table and its examples. Options that many commands share are described once, at the top.
std::string markdown_page(const command_description& root);

}  // namespace muster::command_line
