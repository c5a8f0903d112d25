#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>

namespace muster::cli {

// The results of a chain, one or more lines for each step; nothing if the output is not of a chain.
std::optional<std::string> chain_text(const boost::json::value& output);

// The steps of a chain job as a user would write them; nothing if the job is not a chain.
std::optional<std::string> steps_text(const boost::json::object& arguments);

}  // namespace muster::cli
