#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace muster::cli {

// An event on one line: time, kind, subject and the most important data.
std::string event_line(const boost::json::value& event);

// The position after an event (`cursor`) or a page (`next`); `fallback` if there is none.
std::string cursor_of(
    const boost::json::value& object, const char* name, const std::string& fallback);

}  // namespace muster::cli
