#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace muster::cli {

// A job of the API for people: what, for whom, by whom, how it stands; options only where somebody
// chose them.
std::string job_text(const boost::json::value& job);

// What became of a job on one system, with all it returned.
std::string task_view(const boost::json::value& task);

// What many systems returned alike, a paragraph for each group: how many, how, who for example, and
// the first lines of their output.
std::string results_text(const boost::json::value& results);

}  // namespace muster::cli
