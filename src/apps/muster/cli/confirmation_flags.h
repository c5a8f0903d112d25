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

// When whoever makes a job is asked whether they mean it.
struct consent_flags {
    static constexpr std::int64_t wide_usual = 1'000;

    bool yes = false;
    std::int64_t wide = wide_usual;
};
void add_consent_flags(command_line::command& verb, consent_flags& flags);

// What the job of this body would come to.
std::expected<boost::json::value, api_failure> preview_job(
    const client_context& where, const boost::json::object& body);

// Asks before a wide change, in the name of a command.
std::expected<void, api_failure> check_consent(
    std::string_view command,
    std::string_view query,
    const job_preview& ahead,
    const consent_flags& flags);

}  // namespace muster::cli
