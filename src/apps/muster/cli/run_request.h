#pragma once

#include "base/result.h"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace muster::cli {

// The flags of `muster run`.
struct run_flags {
    std::string query;
    std::vector<std::string> command;    // behind --
    std::string function;                // instead of a command
    std::string script;                  // a file, instead of both
    std::vector<std::string> arguments;  // NAME=TEXT or NAME:=JSON
    std::vector<std::string> steps;      // of a chain
    std::string chain;                   // a file with the steps

    std::string start_time;
    std::string windows;
    std::string batch;
    std::string batch_wait;
    std::optional<double> rate;
    std::string canary;
    std::string canary_wait;
    std::string max_failures;
    std::optional<int> retries;
    std::string retry_wait;
    std::string timeout;
    std::string expires;
    std::string note;
    std::optional<int> priority;
    std::optional<int> weight;
    std::vector<std::string> parents;
    bool on_return = false;
    bool no_on_return = false;
    bool may_run_again = false;  // --may-run-again
};

// The contents of the files of --script and --chain.
struct run_files {
    std::optional<std::string> script = std::nullopt;
    std::optional<std::string> chain = std::nullopt;
};

// The body of POST /api/v1/jobs. errc::invalid names conflicting flags.
result<boost::json::object> run_request(const run_flags& flags, const run_files& files);

}  // namespace muster::cli
