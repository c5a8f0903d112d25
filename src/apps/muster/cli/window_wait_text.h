#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace muster::cli {

// "1500 waiting for nights, opens 2026-11-18T02:00:00Z", from the member `waiting` of a job (a
// list) or of a task (an object). Empty if nothing waits for a window.
std::string window_wait_text(const boost::json::value* waiting);

// For a row of a table of jobs: `waiting` as text, and the stage "waiting" if nothing else runs.
void describe_window_wait(boost::json::object& job);

}  // namespace muster::cli
