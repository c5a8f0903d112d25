#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace muster::cli {

// An event on one line for people: when, what, about whom, and the most telling of its data.
std::string event_line(const boost::json::value& event);

// Where to go on behind an event (`cursor`) or a page (`next`); `otherwise` when it does not tell.
std::string cursor_of(
    const boost::json::value& from, const char* name, const std::string& otherwise);

}  // namespace muster::cli
