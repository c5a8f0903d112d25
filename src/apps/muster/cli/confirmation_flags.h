#pragma once

#include "apps/command_line/command.h"
#include "apps/muster/cli/client.h"
#include "apps/muster/cli/job_preview.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace muster::cli {

// When the user must confirm a job.
struct confirmation_flags {
    static constexpr std::int64_t wide_default = 1'000;

    bool yes = false;
    std::int64_t wide = wide_default;
};
void add_confirmation_flags(command_line::command& verb, confirmation_flags& flags);

// Previews the job of this body.
std::expected<boost::json::value, api_failure> preview_job(
    const client_context& context, const boost::json::object& body);

// Asks for confirmation of a wide change, in the name of a command.
std::expected<void, api_failure> confirm_job(
    std::string_view command,
    std::string_view query,
    const job_preview& preview,
    const confirmation_flags& flags);

}  // namespace muster::cli
