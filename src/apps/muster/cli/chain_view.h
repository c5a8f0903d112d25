#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>

namespace muster::cli {

// What a chain returned, a line or more for each step; nothing when it is no chain's return.
std::optional<std::string> chain_text(const boost::json::value& output);

// The steps of a job that is a chain, as somebody would write them; nothing when it is none.
std::optional<std::string> steps_text(const boost::json::object& arguments);

}  // namespace muster::cli
