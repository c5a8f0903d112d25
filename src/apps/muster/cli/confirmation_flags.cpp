#include "apps/muster/cli/confirmation_flags.h"

namespace muster::cli {

namespace json = boost::json;

void add_confirmation_flags(command_line::command& verb, confirmation_flags& flags) {
    verb.add_flag("--yes", flags.yes, "Skip the confirmation of wide changes");
    verb.add_option(
            "--ask-above",
            flags.wide,
            "Number of systems above which a change needs confirmation (default 1000)")
        ->type_name("NUMBER")
        ->environment("MUSTER_ASK_ABOVE");
}

std::expected<json::value, api_failure> preview_job(
    const client_context& context, const json::object& body) {
    return call_api(
        context, {.method = "POST", .path = "/api/v1/jobs/preview", .body = json::value(body)});
}

std::expected<void, api_failure> confirm_job(
    std::string_view command,
    std::string_view query,
    const job_preview& preview,
    const confirmation_flags& flags) {
    if (flags.yes) return {};
    const auto confirmed = confirm_scope(command, preview, scope_of(preview, query, flags.wide));
    if (confirmed) return {};
    const bool is_usage_error = confirmed.error().code() == errc::invalid;
    return std::unexpected(api_failure{
        .code = is_usage_error ? exit_code::usage : exit_code::failed,
        .message = confirmed.error().detail()});
}

}  // namespace muster::cli
