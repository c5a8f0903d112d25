#pragma once

#include "base/result.h"
#include "core/api/value.h"
#include "core/configuration/file_plan.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::configuration {

// A schedule whose function has this name brings its systems to their files at each run. No agent
// knows it: what a run becomes is jobs of files.deploy.
inline constexpr std::string_view deployment_function = "configuration.deploy";

// Systems of one deployment: more are deployed to in parts.
inline constexpr std::size_t deployed_systems_max = 100'000;

enum class deployment_mode { write, compare };

struct deployment_request {
    file_choice files = {};
    deployment_mode mode = deployment_mode::write;
};
// From a schedule's arguments: `channel`, `by_expression`, `dry_run`, or an empty list.
// errc::invalid says what is wrong with them.
result<deployment_request> parse_deployment_request(const api::value& arguments);

// The reason for a plan without parts; `left_out` is the number of systems with omitted files.
std::string explain_empty_plan(std::uint64_t left_out);

}  // namespace muster::configuration
