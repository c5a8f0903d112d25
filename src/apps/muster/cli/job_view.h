#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace muster::cli {

// A job as text: function, targets, creator, state; options only if they are not the defaults.
std::string job_text(const boost::json::value& job);

// The result of a job on one system, with its whole output.
std::string task_view(const boost::json::value& task);

// Equal results of many systems, a paragraph for each group: count, state, examples and the first
// lines of their output.
std::string results_text(const boost::json::value& results);

}  // namespace muster::cli
