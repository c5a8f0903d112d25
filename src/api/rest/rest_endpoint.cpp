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
    const api::operation& operation, std::string_view name, api::place in) {
    const auto it = std::ranges::find_if(operation.takes, [&](const api::parameter& parameter) {
        return parameter.in == in && parameter.name == name;
    });
    return it == operation.takes.end() ? nullptr : &*it;
}

result<void> take_path(
    const api::operation& operation, const http::request& request, value::record& into) {
    for (const auto& take : operation.takes) {
        if (take.in != api::place::path) continue;
        TRY(auto input, api::read(request.captured(take.name), take.of, take.name));
        into.push_back({take.name, std::move(input)});
    }
    return {};
}

result<void> take_query(
    const api::operation& operation, const http::request& request, value::record& into) {
    TRY(const auto pairs, http::all_of_query(request.whole_query()));
    for (const auto& [name, text] : pairs) {
        const auto* parameter = find_parameter(operation, name, api::place::query);
        if (parameter == nullptr)
            return fail(errc::invalid, fmt::format("`{}` is not known here", name));
        if (std::ranges::find(into, name, &api::member::name) != into.end())
            return fail(errc::invalid, fmt::format("`{}` is given twice", name));
        TRY(auto input, api::read(text, parameter->of, name));
        into.push_back({name, std::move(input)});
    }
    return {};
}

result<void> take_body(
    const api::operation& operation, const std::string& text, value::record& into) {
    if (text.empty()) return {};
    json::error_code failure;
    json::parse_options options;
    options.max_depth = json_depth_max;
    const auto parsed = json::parse(text, failure, {}, options);
    if (failure || !parsed.is_object()) return fail(errc::invalid, "the body is not a JSON object");
    for (const auto& each : parsed.get_object()) {
        const std::string name(each.key());
        if (find_parameter(operation, name, api::place::body) == nullptr)
            return fail(errc::invalid, fmt::format("`{}` is not known here", name));
        if (!each.value().is_null()) into.push_back({name, from_json(each.value())});
    }
    return {};
}

// Whether the client's copy is still good.
bool matches(std::optional<std::string_view> condition, std::string_view etag) {
    if (!condition) return false;
    return *condition == "*" || condition->find(etag) != std::string_view::npos;
}

// A browser sends the cookie along whoever made the page; only our own page knows the other word.
bool forged(const caller& caller, const api::operation& operation, const http::request& request) {
    if (operation.method == api::verb::get) return false;
    if (from_another_site(request)) return true;
    return caller.by_cookie
           && (caller.csrf.empty() || request.field("X-Muster-CSRF").value_or("") != caller.csrf);
}

http::response respond(
    const api::operation& operation, reply reply, const std::optional<std::string>& condition) {
    http::response response{.status = reply.status.value_or(operation.status)};
    response.fields = std::move(reply.fields);
    if (reply.stream) {
        auto stream = http::event_stream(std::move(reply.stream));
        stream.fields.insert(stream.fields.end(), response.fields.begin(), response.fields.end());
        return stream;
    }
    if (reply.other) {
        response.body = std::move(reply.other->body);
        response.fields.emplace_back("Content-Type", std::move(reply.other->media));
    } else if (response.status != 204) {
        response.body = json::serialize(reply.content);
        response.fields.emplace_back("Content-Type", "application/json");
    }
    if (operation.changes()) return no_store(std::move(response));
    auto etag = reply.etag.empty() ? etag_of(response.body) : std::move(reply.etag);
    if (matches(condition, etag)) response = {.status = 304};
    response.fields.emplace_back("ETag", std::move(etag));
    response.fields.emplace_back("Cache-Control", "private, no-cache");
    return response;
}

// Fields that say which record, or which session, is meant: bounded as the document says.
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
    value::record record;
    CO_CHECK_OK(take_path(operation, request, record));
    CO_CHECK_OK(take_query(operation, request, record));
    if (operation.method != api::verb::get) {
        CO_TRY(const auto body, co_await request.body());
        CO_CHECK_OK(take_body(operation, body, record));
    }
    co_return value(std::move(record));
}

async<caller> rest_endpoint::admit(const api::operation& operation, const http::request& request) {
    if (operation.needed == access::right::none) co_return authenticator_.admit_anybody(request);
    co_return co_await authenticator_.admit(request);
}

async<http::response> rest_endpoint::guarded(const registry::entry& entry, http::request request) {
    auto input = co_await answer(entry, std::move(request));
    if (!input) input = problem_of(input.error());
    // Whatever it holds, no browser makes a page or a script of it, or shows it within another.
    input->fields.emplace_back("X-Content-Type-Options", "nosniff");
    input->fields.emplace_back(
        "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    co_return input;
}

async<http::response> rest_endpoint::answer(const registry::entry& entry, http::request request) {
    auto who = co_await admit(entry.what, request);
    if (!who) co_return refused(who.error());
    if (forged(*who, entry.what, request))
        co_return http::problem(
            403, "a change that a browser sends must come from our own page, with X-Muster-CSRF");
    if (const auto fits = check_fields(request); !fits) co_return http::problem(fits.error());
    auto arguments = co_await read_arguments(entry.what, request);
    if (!arguments) co_return http::problem(arguments.error());
    call call(entry.what, *std::move(who), *std::move(arguments));
    call.last_event = request.field("Last-Event-ID").value_or("");
    call.wants_events =
        request.field("Accept").value_or("").find("text/event-stream") != std::string_view::npos;
    call.idempotency_key = request.field("Idempotency-Key").value_or("");
    if (entry.what.changes()) {
        call.edit = request.field("Muster-Edit").value_or("");
        call.if_match = request.field("If-Match").value_or("");
    }
    std::optional<std::string> condition;
    if (const auto field = request.field("If-None-Match")) condition = *field;
    reading of{entry, call.who(), call.arguments(), std::string(request.path())};
    const auto asks = call.who();
    auto input = co_await all_.perform(entry, std::move(call));
    if (input) {
        // What a change is compared with (precondition.h) is the record without its links.
        const bool record = !entry.related.empty() && !of.arguments.find(expand_parameter);
        if (record) input->etag = etag_of(json::serialize(input->content));
        input = co_await with_related(all_, std::move(of), *std::move(input));
    }
    // A change that had no answer in time may be done all the same: 504, not "try again".
    if (!input && entry.what.changes()) co_return http::problem(input.error());
    if (!input) co_return problem_of(input.error());
    if (input->stream) {
        auto seat = seats_.take();
        if (!seat)
            co_return problem_of(
                {errc::unavailable, "this server has too many streams already; ask another"});
        input->stream = while_let_in(std::move(input->stream), asks, std::move(seat));
    }
    co_return respond(entry.what, *std::move(input), condition);
}

result<void> rest_endpoint::add_routes(http::router& to) {
    for (const auto& each : all_.all()) {
        CHECK_OK(to.add(
            api::to_string(each.what.method),
            each.what.path,
            {.handle = [this,
                        &each](http::request request) { return guarded(each, std::move(request)); },
             .body_bytes_max = static_cast<std::size_t>(each.what.body_bytes_max)}));
    }
    return {};
}

}  // namespace muster::api
