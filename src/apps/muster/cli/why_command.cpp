#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/job_progress.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster why 20261116051234123456 web1       one sentence\n"
    "  muster why 20261116051234123456 17 -o json with all details\n";

struct why_flags {
    api_flags api;
    std::string job;
    std::string system;
};

exit_code explain(const why_flags& flags) {
    const auto response = call_api(
        resolve_context(flags.api.client),
        {.path = "/api/v1/jobs/" + path_segment(flags.job) + "/tasks/" + path_segment(flags.system)
                 + "/why"});
    if (!response) {
        fmt::print(stderr, "muster why: {}\n", printable(response.error().message));
        return response.error().code;
    }
    if (flags.api.format != output_format::table) {
        fmt::print("{}", render(*response, flags.api.format, {}));
        return exit_code::ok;
    }
    const auto* const members = response->if_object();
    const auto* const message = members == nullptr ? nullptr : members->if_contains("sentence");
    if (message == nullptr || !message->is_string()) return exit_code::failed;
    fmt::print("{}\n", printable(json::value_to<std::string>(*message)));
    return exit_code::ok;
}

}  // namespace

void add_why(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<why_flags>();
    auto* verb = add_verb(
        root, "why", "Explain the state of a job on a system", flags->api, chosen, [flags] {
            return explain(*flags);
        });
    verb->footer(examples);
    verb->add_option("job", flags->job, "Job id")->required()->type_name("JOB");
    verb->add_option("system", flags->system, "Number, name or fingerprint of the system")
        ->required()
        ->type_name("SYSTEM");
}

}  // namespace muster::cli
