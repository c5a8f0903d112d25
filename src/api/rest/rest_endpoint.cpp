#include "api/rest/rest_endpoint.h"

#include "adapters/net/http/events.h"
#include "adapters/net/http/uri.h"
#include "api/operations/json_value.h"
#include "api/operations/precondition.h"
#include "api/operations/response_expansion.h"
#include "api/operations/revalidated_stream.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

namespace http = net::http;
namespace json = boost::json;
using api::value;

constexpr std::size_t json_depth_max = 32;

const api::parameter* find_parameter(
    const api::operation& operation, std::string_view name, api::place location) {
    const auto it = std::ranges::find_if(operation.takes, [&](const api::parameter& parameter) {
        return parameter.in == location && parameter.name == name;
    });
    return it == operation.takes.end() ? nullptr : &*it;
}

result<void> read_path(
    const api::operation& operation, const http::request& request, value::record& arguments) {
    for (const auto& parameter : operation.takes) {
        if (parameter.in != api::place::path) continue;
        TRY(auto argument,
            api::read(request.capture(parameter.name), parameter.of, parameter.name));
        arguments.push_back({parameter.name, std::move(argument)});
    }
    return {};
}

result<void> read_query(
    const api::operation& operation, const http::request& request, value::record& arguments) {
    TRY(const auto pairs, http::parse_query(request.raw_query()));
    for (const auto& [name, text] : pairs) {
        const auto* parameter = find_parameter(operation, name, api::place::query);
        if (parameter == nullptr)
            return fail(errc::invalid, fmt::format("`{}`: unknown query parameter", name));
        if (std::ranges::find(arguments, name, &api::member::name) != arguments.end())
            return fail(errc::invalid, fmt::format("`{}`: repeated query parameter", name));
        TRY(auto argument, api::read(text, parameter->of, name));
        arguments.push_back({name, std::move(argument)});
    }
    return {};
}

result<void> read_body(
    const api::operation& operation, const std::string& text, value::record& arguments) {
    if (text.empty()) return {};
    json::error_code failure;
    json::parse_options options;
    options.max_depth = json_depth_max;
    const auto parsed = json::parse(text, failure, {}, options);
    if (failure || !parsed.is_object())
        return fail(errc::invalid, "request body is not a JSON object");
    for (const auto& member : parsed.get_object()) {
        const std::string name(member.key());
        if (find_parameter(operation, name, api::place::body) == nullptr)
            return fail(errc::invalid, fmt::format("`{}`: unknown field", name));
        if (!member.value().is_null()) arguments.push_back({name, from_json(member.value())});
    }
    return {};
}

// Whether the client's copy is current.
bool matches_etag(std::optional<std::string_view> condition, std::string_view etag) {
    if (!condition) return false;
    return *condition == "*" || condition->find(etag) != std::string_view::npos;
}

// Browsers send the cookie from any page; only our own page knows the CSRF token.
bool is_forged(
    const caller& caller, const api::operation& operation, const http::request& request) {
    if (operation.method == api::verb::get) return false;
    if (is_cross_site(request)) return true;
    return caller.by_cookie
           && (caller.csrf.empty() || request.field("X-Muster-CSRF").value_or("") != caller.csrf);
}

http::response to_response(
    const api::operation& operation, reply reply, const std::optional<std::string>& condition) {
    http::response response{.status = reply.status.value_or(operation.status)};
    response.fields = std::move(reply.fields);
    if (reply.stream) {
        auto stream = http::event_stream(std::move(reply.stream));
        stream.fields.insert(stream.fields.end(), response.fields.begin(), response.fields.end());
        return stream;
    }
    if (reply.raw) {
        response.body = std::move(reply.raw->body);
        response.fields.emplace_back("Content-Type", std::move(reply.raw->media));
    } else if (response.status != 204) {
        response.body = json::serialize(reply.content);
        response.fields.emplace_back("Content-Type", "application/json");
    }
    if (operation.changes()) return no_store(std::move(response));
    auto etag = reply.etag.empty() ? etag_of(response.body) : std::move(reply.etag);
    if (matches_etag(condition, etag)) response = {.status = 304};
    response.fields.emplace_back("ETag", std::move(etag));
    response.fields.emplace_back("Cache-Control", "private, no-cache");
    return response;
}

// Bounds the length of these fields as documented in the API description.
result<void> check_fields(const http::request& request) {
    for (const char* const name : {"If-Match", "If-None-Match", "Muster-Edit"}) {
        const auto field = request.field(name);
        if (field && field->size() > static_cast<std::size_t>(api::header_bytes_max))
            return fail(
                errc::invalid,
                fmt::format("{} is longer than {} bytes", name, api::header_bytes_max));
    }
    return {};
}

}  // namespace

async<value> read_arguments(const api::operation& operation, http::request& request) {
    value::record arguments;
    CO_CHECK_OK(read_path(operation, request, arguments));
    CO_CHECK_OK(read_query(operation, request, arguments));
    if (operation.method != api::verb::get) {
        CO_TRY(const auto body, co_await request.body());
        CO_CHECK_OK(read_body(operation, body, arguments));
    }
    co_return value(std::move(arguments));
}

async<caller> rest_endpoint::authenticate(
    const api::operation& operation, const http::request& request) {
    if (operation.needed == access::right::none) co_return authenticator_.anonymous_caller(request);
    co_return co_await authenticator_.authenticate(request);
}

async<http::response> rest_endpoint::serve(const registry::entry& entry, http::request request) {
    auto response = co_await handle(entry, std::move(request));
    if (!response) response = to_problem(response.error());
    // Browsers must not render the response as a page or script, or show it in a frame.
    response->fields.emplace_back("X-Content-Type-Options", "nosniff");
    response->fields.emplace_back(
        "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    co_return response;
}

async<http::response> rest_endpoint::handle(const registry::entry& entry, http::request request) {
    auto caller = co_await authenticate(entry.operation, request);
    if (!caller) co_return authentication_problem(caller.error());
    if (is_forged(*caller, entry.operation, request))
        co_return http::problem(
            403,
            "cross-site request refused; send changes from the same origin with X-Muster-CSRF");
    if (const auto checked = check_fields(request); !checked)
        co_return http::problem(checked.error());
    auto arguments = co_await read_arguments(entry.operation, request);
    if (!arguments) co_return http::problem(arguments.error());
    call call(entry.operation, *std::move(caller), *std::move(arguments));
    call.last_event = request.field("Last-Event-ID").value_or("");
    call.wants_events =
        request.field("Accept").value_or("").find("text/event-stream") != std::string_view::npos;
    call.idempotency_key = request.field("Idempotency-Key").value_or("");
    if (entry.operation.changes()) {
        call.edit = request.field("Muster-Edit").value_or("");
        call.if_match = request.field("If-Match").value_or("");
    }
    std::optional<std::string> condition;
    if (const auto field = request.field("If-None-Match")) condition = *field;
    read_call read{entry, call.caller(), call.arguments(), std::string(request.path())};
    const auto stream_caller = call.caller();
    auto response = co_await operations_.perform(entry, std::move(call));
    if (response) {
        // If-Match compares the record without links (precondition.h).
        const bool is_plain_record =
            !entry.related.empty() && !read.arguments.find(expand_parameter);
        if (is_plain_record) response->etag = etag_of(json::serialize(response->content));
        response = co_await expand_response(operations_, std::move(read), *std::move(response));
    }
    // A change that timed out may have been applied: respond 504, not "retry".
    if (!response && entry.operation.changes()) co_return http::problem(response.error());
    if (!response) co_return to_problem(response.error());
    if (response->stream) {
        auto permit = stream_limiter_.acquire();
        if (!permit)
            co_return to_problem(
                {errc::unavailable,
                 "limit of " + std::to_string(stream_limiter_.limit())
                     + " streams on this server reached; use another server"});
        response->stream =
            revalidated_stream(std::move(response->stream), stream_caller, std::move(permit));
    }
    co_return to_response(entry.operation, *std::move(response), condition);
}

result<void> rest_endpoint::add_routes(http::router& routes) {
    for (const auto& entry : operations_.all()) {
        CHECK_OK(routes.add(
            api::to_string(entry.operation.method),
            entry.operation.path,
            {.handle = [this,
                        &entry](http::request request) { return serve(entry, std::move(request)); },
             .body_bytes_max = static_cast<std::size_t>(entry.operation.body_bytes_max)}));
    }
    return {};
}

}  // namespace muster::api
