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

// An array of objects as a table has one row each, with these columns; an object has one line a
// member. JSON and YAML have everything.
std::string render(
    const boost::json::value& what, output_format format, const std::vector<std::string>& columns);

}  // namespace muster::cli
