#include "api/xmlrpc/calls/xmlrpc_json_endpoint.h"

#include "adapters/net/gzip/compressed_response.h"
#include "adapters/net/http/uri.h"
#include "api/operations/json_value.h"
#include "api/operations/session_cookie.h"
#include "api/xmlrpc/calls/call_body.h"
#include "api/xmlrpc/calls/list_response.h"
#include "core/api/timed.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace http = net::http;
namespace json = boost::json;
using api::value;

constexpr const char* media = "application/json";
constexpr const char* cookie = "pxt-session-cookie";
constexpr std::size_t json_depth_max = 32;

http::response with_status(unsigned status, http::response response) {
    response.status = status;
    return response;
}

http::response error_response(const std::string& message) {
    const json::object body{{"success", false}, {"message", message}};
    return complete_response(media, json::serialize(body));
}

// Omits members without a value.
json::value encode(const value& value_to_encode) {
    if (const auto* members = value_to_encode.get<value::record>()) {
        json::object result;
        for (const auto& member : *members) {
            if (!member.of.is_nothing()) result.emplace(member.name, encode(member.of));
        }
        return result;
    }
    if (const auto* items = value_to_encode.get<value::list>()) {
        json::array result;
        for (const auto& item : *items) result.push_back(encode(item));
        return result;
    }
    return api::to_json(value_to_encode);
}

list_format json_list_format() {
    return {
        .media = media,
        .opening = R"({"success":true,"result":[)",
        .append =
            [](std::string& output, const value& item, bool first) {
                if (!first) output += ',';
                output += json::serialize(encode(item));
            },
        .closing = "]}"};
}

http::response logged_in(const value& key) {
    auto result = complete_response(media, R"({"success":true})");
    result.fields.emplace_back(
        "Set-Cookie",
        fmt::format(
            "{}={}; Path=/; Secure; HttpOnly; SameSite=Strict", cookie, *key.get<std::string>()));
    return result;
}

// The values of one name in a query. A list may be written as "a,b" or as repeated names.
using query_values = std::vector<std::string>;
result<value> read_texts(const query_values& query_values, const api::shape& shape) {
    if (query_values.size() == 1) {
        TRY(auto result, api::read(query_values.front(), shape, ""));
        return api::with_times(std::move(result), shape);
    }
    if (shape.what() != api::shape::kind::list)
        return fail(errc::invalid, "parameter given more than once");
    value::list items;
    for (const auto& query_value : query_values) {
        TRY(auto result, api::read(query_value, shape.element(), ""));
        items.push_back(api::with_times(std::move(result), shape.element()));
    }
    return value(std::move(items));
}

// Returns the arguments of one overload in its order; nothing if they do not match.
using argument_reader = std::function<result<value>(std::size_t index, const api::shape& shape)>;
std::optional<value::list> match_arguments(
    const method& method, const std::vector<std::string>& names, const argument_reader& read) {
    if (names.size() != method.operation.takes.size()) return std::nullopt;
    value::list list;
    for (const auto& parameter : method.operation.takes) {
        const auto it = std::ranges::find(names, parameter.name);
        if (it == names.end()) return std::nullopt;
        auto argument = read(static_cast<std::size_t>(it - names.begin()), parameter.of);
        if (!argument) return std::nullopt;
        list.push_back(*std::move(argument));
    }
    if (!method_registry::accepts(method, list)) return std::nullopt;
    return list;
}

}  // namespace

result<void> xmlrpc_json_endpoint::add_routes(http::router& router) {
    for (const char* const method : {"GET", "POST"}) {
        CHECK_OK(router.add(
            method,
            "/rhn/manager/api/{method...}",
            {.handle = [this](http::request request) { return respond(std::move(request)); },
             .body_bytes_max = call_bytes_max}));
    }
    return {};
}

result<xmlrpc_json_endpoint::resolved_call> xmlrpc_json_endpoint::choose(
    const http::request& request, const std::string& body) const {
    auto name = request.capture("method");
    std::ranges::replace(name, '/', '.');
    const auto overloads = methods_.all().find(name);
    if (overloads == methods_.all().end()) return fail(errc::not_found, "method not found");
    std::vector<std::string> names;
    argument_reader read;
    if (request.method() == "POST") {
        json::error_code failure;
        json::parse_options options;
        options.max_depth = json_depth_max;
        auto parsed = body.empty() ? json::object() : json::parse(body, failure, {}, options);
        if (failure || !parsed.is_object()) return fail(errc::invalid, "body is not a JSON object");
        std::vector<json::value> values;
        for (auto& member : parsed.get_object()) {
            names.emplace_back(member.key());
            values.push_back(std::move(member.value()));
        }
        read = [values = std::move(values)](
                   std::size_t index, const api::shape& shape) -> result<value> {
            return api::with_times(api::from_json(values[index]), shape);
        };
    } else {
        TRY(const auto pairs, http::parse_query(request.raw_query()));
        std::map<std::string, query_values> values;
        for (const auto& [name_in_query, text] : pairs) values[name_in_query].push_back(text);
        for (const auto& entry : values) names.push_back(entry.first);
        read = [names, values = std::move(values)](std::size_t index, const api::shape& shape) {
            return read_texts(values.at(names[index]), shape);
        };
    }
    for (const auto* overload : overloads->second) {
        if (api::to_string(overload->operation.method) != request.method()) continue;
        if (const auto arguments = match_arguments(*overload, names, read))
            return resolved_call{
                .overload = overload,
                .arguments = method_registry::name_arguments(*overload, *arguments)};
    }
    return fail(
        errc::invalid,
        name + " does not accept these arguments with " + std::string(request.method()));
}

async<http::response> xmlrpc_json_endpoint::perform(
    resolved_call resolved_call, request_origin origin) {
    const method& method = *resolved_call.overload;
    auto caller = co_await authenticator_.authenticate(
        method, std::move(origin.key), std::move(origin.origin));
    if (!caller && caller.error().code() == errc::denied)
        co_return with_status(401, error_response(caller.error().detail()));
    CO_CHECK_OK(caller);
    const bool login = method.operation.name == "auth.login";
    call call(method.operation, *std::move(caller), std::move(resolved_call.arguments));
    if (method.takes_edit()) call.edit = std::move(origin.edit);
    auto response = co_await methods_.perform(method, std::move(call));
    if (!response) {
        const bool denied = response.error().code() == errc::denied;
        const unsigned status = login ? 401 : 403;
        co_return with_status(denied ? status : 200, error_response(response.error().detail()));
    }
    if (login) co_return logged_in(response->content);
    if (response->items) {
        auto list = co_await list_response(std::move(response->items), json_list_format());
        if (!list) co_return error_response(list.error().detail());
        co_return with_missing_nodes(*std::move(list), response->missing_nodes);
    }
    const json::object body{{"success", true}, {"result", encode(response->content)}};
    co_return with_missing_nodes(
        complete_response(media, json::serialize(body)), response->missing_nodes);
}

async<http::response> xmlrpc_json_endpoint::respond(http::request request) {
    const std::string accepted(request.field("Accept-Encoding").value_or(""));
    CO_TRY(auto result, co_await handle_call(std::move(request)));
    co_return net::gzip::compressed_response(std::move(result), accepted);
}

async<http::response> xmlrpc_json_endpoint::handle_call(http::request request) {
    std::string body;
    auto key = api::find_cookie(request.field("Cookie").value_or(""), cookie).value_or("");
    auto origin = request.client_address().to_string();
    if (request.method() == "POST") {
        if (api::is_cross_site(request))
            co_return with_status(403, error_response("cross-site request refused"));
        auto read = co_await read_call(&request, [this, key, origin](const std::string&) {
            return authenticator_.authenticate(key, origin);
        });
        if (!read && read.error().code() == errc::denied)
            co_return with_status(401, error_response(read.error().detail()));
        CO_CHECK_OK(read);
        body = *std::move(read);
    }
    auto resolved = choose(request, body);
    if (!resolved) {
        const unsigned status = resolved.error().code() == errc::not_found ? 404 : 400;
        co_return with_status(status, error_response(resolved.error().detail()));
    }
    request_origin sender{
        .key = std::move(key),
        .origin = std::move(origin),
        .edit = std::string(request.field("Muster-Edit").value_or(""))};
    co_return co_await perform(*std::move(resolved), std::move(sender));
}

}  // namespace muster::xmlrpc_api
