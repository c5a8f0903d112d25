#include "apps/muster/cli/login.h"

#include <boost/json.hpp>

namespace muster::cli {
namespace {

namespace json = boost::json;

std::string text_member(const json::object& members, const char* name) {
    const auto* match = members.if_contains(name);
    return match != nullptr && match->is_string() ? json::value_to<std::string>(*match) : "";
}

}  // namespace

std::optional<login_response> read_login_response(const json::value& response) {
    const auto* members = response.if_object();
    if (members == nullptr) return std::nullopt;
    login_response login{
        .token = text_member(*members, "token"),
        .result = {.expires = text_member(*members, "expires"), .must_change = false}};
    if (login.token.empty() || login.result.expires.empty()) return std::nullopt;
    const auto* must_change = members->if_contains("must_change");
    login.result.must_change =
        must_change != nullptr && must_change->is_bool() && must_change->as_bool();
    return login;
}

std::expected<login_result, api_failure> log_in(
    const client_context& context, const credentials& credentials) {
    const auto response = call_api(
        context,
        {.method = "POST",
         .path = "/api/v1/login",
         .body = json::object{{"user", credentials.user}, {"password", credentials.password}},
         .auth = api_call::identity::none});
    if (!response) return std::unexpected(response.error());
    auto login = read_login_response(*response);
    if (!login)
        return std::unexpected(api_failure{
            .code = exit_code::failed, .message = "unexpected response from the server; no token"});
    const auto stored = store_login(context, login->token);
    if (!stored)
        return std::unexpected(
            api_failure{.code = exit_code::failed, .message = stored.error().detail()});
    return std::move(login->result);
}

}  // namespace muster::cli
