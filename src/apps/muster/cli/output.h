#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace muster::command_line {
class command;
}

namespace muster::cli {

enum class output_format { table, json, yaml };

void add_output_flag(command_line::command& command, output_format& format);

// Renders an array of objects as a table with one row each and these columns, an object with one
// line a member. JSON and YAML contain all members.
std::string render(
    const boost::json::value& value, output_format format, const std::vector<std::string>& columns);

}  // namespace muster::cli
