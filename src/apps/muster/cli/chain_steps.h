#pragma once

#include "base/result.h"

#include <boost/json/array.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// The steps of a chain as people write them: a text is the name of a function that needs no
// arguments (`system.reboot`), or else a line for the shell. In a file, JSON or YAML, a step may
// also be an object with `function`, `arguments` and `timeout`, or with `cmd` for a line.
boost::json::array chain_steps(const std::vector<std::string>& texts);
// errc::invalid says what is wrong with the file's text; the steps themselves are judged by the
// server.
result<boost::json::array> read_chain(std::string_view text);

}  // namespace muster::cli
