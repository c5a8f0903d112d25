#include "apps/muster/cli/confirmation_flags.h"

namespace muster::cli {

namespace json = boost::json;

void add_consent_flags(command_line::command& verb, consent_flags& flags) {
    verb.add_flag("--yes", flags.yes, "Do not ask before many systems are changed");
    verb.add_option("--ask-above", flags.wide, "Ask when more systems than this are changed")
        ->type_name("NUMBER")
        ->environment("MUSTER_ASK_ABOVE");
}

std::expected<json::value, api_failure> preview_job(
    const client_context& where, const json::object& body) {
    return call_api(
        where, {.method = "POST", .path = "/api/v1/jobs/preview", .body = json::value(body)});
}

std::expected<void, api_failure> check_consent(
    std::string_view command,
    std::string_view query,
    const job_preview& ahead,
    const consent_flags& flags) {
    if (flags.yes) return {};
    const auto checked = check_reach(command, ahead, reach_of(ahead, query, flags.wide));
    if (checked) return {};
    const bool wrong = checked.error().code() == errc::invalid;
    return std::unexpected(api_failure{
        .code = wrong ? exit_code::usage : exit_code::failed,
        .sentence = checked.error().detail()});
}

}  // namespace muster::cli
