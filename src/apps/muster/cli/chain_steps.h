#pragma once

#include "base/result.h"

#include <boost/json/array.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// Converts the steps of a chain from text. A text is the name of a function without arguments
// (`system.reboot`), or else a shell command. In a JSON or YAML file, a step may also be an object
// with `function`, `arguments` and `timeout`, or with `cmd` for a command.
boost::json::array chain_steps(const std::vector<std::string>& texts);
// errc::invalid describes what is wrong with the text; the server checks the steps.
result<boost::json::array> read_chain(std::string_view text);

}  // namespace muster::cli
