#pragma once

#include "api/operations/json_body.h"
#include "core/api/operation.h"
#include "core/model/job.h"
#include "ports/clock.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::api {

// What somebody asks to be done: the body of POST /api/v1/jobs.
struct job_request {
    std::optional<std::string> query;  // either this
    std::vector<std::string> systems;  // or these
    job_spec spec;                     // without who asks
    api::value arguments;              // what the spec's text says
    bool allow_empty = false;
};

// Spans are texts with a unit ("90s", "1h30m"), amounts "10" or "25%", times ISO 8601 in UTC or a
// span from now ("+2h"). errc::invalid names the member and says what is wanted.
result<job_request> read_job_request(json_body& body, wall_time now);

// What such a body may have.
std::vector<api::parameter> job_parameters();

// "2026-11-16T22:00:00Z", "2026-11-16T22:00Z", or "+2h".
result<wall_time> parse_moment(std::string_view text, wall_time now);

}  // namespace muster::api
