#include "apps/muster/cli/login.h"

#include <boost/json.hpp>

namespace muster::cli {
namespace {

namespace json = boost::json;

std::string text_in(const json::object& members, const char* name) {
    const auto* match = members.if_contains(name);
    return match != nullptr && match->is_string() ? json::value_to<std::string>(*match) : "";
}

}  // namespace

std::optional<login_answer> read_login_answer(const json::value& response) {
    const auto* members = response.if_object();
    if (members == nullptr) return std::nullopt;
    login_answer read{
        .token = text_in(*members, "token"),
        .opened = {.expires = text_in(*members, "expires"), .must_change = false}};
    if (read.token.empty() || read.opened.expires.empty()) return std::nullopt;
    const auto* must_change = members->if_contains("must_change");
    read.opened.must_change =
        must_change != nullptr && must_change->is_bool() && must_change->as_bool();
    return read;
}

std::expected<login_result, api_failure> log_in(
    const client_context& where, const credentials& credentials) {
    const auto answered = call_api(
        where,
        {.method = "POST",
         .path = "/api/v1/login",
         .body = json::object{{"user", credentials.user}, {"password", credentials.password}},
         .as = api_call::identity::none});
    if (!answered) return std::unexpected(answered.error());
    auto read = read_login_answer(*answered);
    if (!read)
        return std::unexpected(api_failure{
            .code = exit_code::failed, .sentence = "the server's answer holds no token"});
    const auto stored = remember_login(where, read->token);
    if (!stored)
        return std::unexpected(
            api_failure{.code = exit_code::failed, .sentence = stored.error().detail()});
    return std::move(read->opened);
}

}  // namespace muster::cli
