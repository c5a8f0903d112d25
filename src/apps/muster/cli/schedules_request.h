#pragma once

#include "base/result.h"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace muster::cli {

// The flags of `muster schedules add` and `set`.
struct schedule_flags {
    std::string name;
    std::optional<std::string> start_time;
    std::optional<std::string> cron;
    std::optional<std::string> rrule;
    std::optional<std::string> zone;
    std::optional<std::string> query;
    std::optional<std::string> function;
    std::optional<std::string> missed;
    std::vector<std::string> arguments;
    std::optional<std::string> arguments_object;  // JSON
    bool any_time = false;

    // Options of the jobs that the runs become.
    std::optional<std::string> batch;
    std::optional<std::string> batch_wait;
    std::optional<double> rate;
    std::optional<std::string> canary;
    std::optional<std::string> canary_wait;
    std::optional<std::string> max_failures;
    std::optional<int> retries;
    std::optional<int> priority;
    std::optional<int> weight;
};

// The body of POST and PATCH /api/v1/schedules, without the name. errc::invalid if the arguments
// are not an object.
result<boost::json::object> schedule_request(const schedule_flags& flags);

}  // namespace muster::cli
