#include "api/peer/leader_client.h"

#include "api/operations/json_value.h"
#include "api/operations/permissions_codec.h"
#include "ports/deadline.h"

#include <boost/json.hpp>

#include <array>
#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;

constexpr const char* path = "/cluster/common";
constexpr std::size_t body_bytes_max = std::size_t{5} * 1024 * 1024;
constexpr auto response_timeout = 20s;  // longer than any timeout on the leader
constexpr std::array forwarded_codes{
    errc::not_found,
    errc::conflict,
    errc::invalid,
    errc::denied,
    errc::unavailable,
    errc::timed_out};

// The call did not run. For other foreign responses the outcome is unknown.
bool is_refusal(unsigned status) {
    return status == 503 || (status >= 400 && status < 500);
}

json::object to_json(const error& failure) {
    return {{"error", to_string(failure.code())}, {"detail", failure.detail()}};
}

std::string find_text(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    if (member == nullptr || !member->is_string()) return {};
    return std::string(member->get_string());
}

error read_error(const json::object& response) {
    const auto name = find_text(response, "error");
    for (const auto code : forwarded_codes)
        if (to_string(code) == name) return {code, find_text(response, "detail")};
    return {errc::corrupt, "invalid response from the leader"};
}

// The member, which must be a string.
result<std::string> read_text(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    if (member == nullptr || !member->is_string())
        return fail(errc::invalid, std::string("`") + name + "` is missing");
    return std::string(member->get_string());
}

}  // namespace

async<reply> leader_client::forward(revision::leader_record leader, call call) const {
    if (call.forwarded) co_return fail(errc::unavailable, "leader has changed; retry");
    const auto tree = people::to_zone_parents(*call.context().topology.read());
    json::object body{
        {"operation", call.operation().name},
        {"arguments", to_json(call.arguments())},
        {"edit", call.edit},
        {"user", call.caller().user},
        {"may", encode_rights(call.caller().may, tree)},
        {"origin", call.caller().origin}};
    CO_TRY(auto tls, deps_.tls.current());
    http::client client({.clock = &deps_.clock, .tls = std::move(tls)});
    http::client_request request{
        .method = "POST", .url = "https://" + leader.address + path, .body = json::serialize(body)};
    const auto response =
        co_await within(deps_.clock, response_timeout, client.send(std::move(request)));
    if (!response)
        co_return fail(response.error().with_context(
            "leader \"" + leader.server
            + "\" did not respond; a new leader is elected if the server is down"));
    json::error_code failure;
    const auto parsed = json::parse(response->body, failure);
    if (response->status != 200 || failure || !parsed.is_object())
        co_return fail(
            is_refusal(response->status) ? errc::unavailable : errc::timed_out,
            "leader \"" + leader.server + "\" returned HTTP status "
                + std::to_string(response->status));
    const auto& object = parsed.get_object();
    const auto* const status = object.if_contains("status");
    const auto* const content = object.if_contains("content");
    const bool is_response = status != nullptr && status->is_int64() && content != nullptr;
    if (!is_response) co_return fail(read_error(object));
    co_return reply{
        .content = *content,
        .recorded = true,
        .status = static_cast<unsigned>(status->get_int64())};
}

result<void> leader_client::add_routes(http::router& routes) {
    return routes.add(
        "POST",
        path,
        {.handle = [this](http::request request) { return serve(std::move(request)); },
         .allowed = http::caller::cluster_server,
         .body_bytes_max = body_bytes_max});
}

async<reply> leader_client::perform(std::string body) {
    json::error_code failure;
    const auto parsed = json::parse(body, failure);
    if (failure || !parsed.is_object())
        co_return fail(errc::invalid, "request body is not a JSON object");
    const auto& message = parsed.get_object();
    CO_TRY(const auto name, read_text(message, "operation"));
    const auto* const arguments = message.if_contains("arguments");
    if (arguments == nullptr) co_return fail(errc::invalid, "`arguments` is missing");
    auto operation = find_operation(deps_.operations, deps_.others, name, from_json(*arguments));
    if (!operation)
        co_return fail(errc::unavailable, "operation \"" + name + "\" is unknown to the leader");
    caller caller;
    CO_TRY(caller.user, read_text(message, "user"));
    CO_TRY(caller.origin, read_text(message, "origin"));
    CO_TRY(const auto rights, read_text(message, "may"));
    CO_TRY(caller.may, decode_rights(rights));
    CO_TRY(caller.context, deps_.authenticator.context());
    caller.zones = std::make_shared<const access::zone_parents>(
        people::to_zone_parents(*caller.context->topology.read()));
    call call(*operation->operation, std::move(caller), std::move(operation->arguments));
    CO_TRY(call.edit, read_text(message, "edit"));
    call.forwarded = true;
    auto response = co_await deps_.operations.perform(
        *operation->operation, operation->handler, std::move(call));
    if (response && !response->status) response->status = operation->operation->status;
    co_return response;
}

async<http::response> leader_client::serve(http::request request) {
    CO_TRY(auto body, co_await request.body());
    auto response = co_await perform(std::move(body));
    if (!response) co_return http::json(200, json::serialize(to_json(response.error())));
    co_return http::json(
        200,
        json::serialize(json::object{
            {"status", response->status.value_or(200)},
            {"content", std::move(response->content)}}));
}

}  // namespace muster::api
