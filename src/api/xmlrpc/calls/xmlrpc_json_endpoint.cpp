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

http::response told(const std::string& message) {
    const json::object said{{"success", false}, {"message", message}};
    return run_sync(media, json::serialize(said));
}

// Members that are nothing are left out.
json::value spelled(const value& what) {
    if (const auto* members = what.get<value::record>()) {
        json::object result;
        for (const auto& member : *members) {
            if (!member.of.is_nothing()) result.emplace(member.name, spelled(member.of));
        }
        return result;
    }
    if (const auto* items = what.get<value::list>()) {
        json::array result;
        for (const auto& item : *items) result.push_back(spelled(item));
        return result;
    }
    return api::to_json(what);
}

list_format in_json() {
    return {
        .media = media,
        .opening = R"({"success":true,"result":[)",
        .append =
            [](std::string& to, const value& item, bool first) {
                if (!first) to += ',';
                to += json::serialize(spelled(item));
            },
        .closing = "]}"};
}

http::response logged_in(const value& key) {
    auto result = run_sync(media, R"({"success":true})");
    result.fields.emplace_back(
        "Set-Cookie",
        fmt::format(
            "{}={}; Path=/; Secure; HttpOnly; SameSite=Strict", cookie, *key.get<std::string>()));
    return result;
}

// What stands in a query under one name. A list may be written as "a,b", or item by item.
using given_texts = std::vector<std::string>;
result<value> read_texts(const given_texts& given_texts, const api::shape& shape) {
    if (given_texts.size() == 1) {
        TRY(auto result, api::read(given_texts.front(), shape, ""));
        return api::with_times(std::move(result), shape);
    }
    if (shape.what() != api::shape::kind::list)
        return fail(errc::invalid, "it is given several times");
    value::list items;
    for (const auto& given_text : given_texts) {
        TRY(auto result, api::read(given_text, shape.element(), ""));
        items.push_back(api::with_times(std::move(result), shape.element()));
    }
    return value(std::move(items));
}

// The arguments of one way to call a method, in its order; nothing when it does not take these.
using read_one = std::function<result<value>(std::size_t at, const api::shape& shape)>;
std::optional<value::list> fitting(
    const method& method, const std::vector<std::string>& names, const read_one& read) {
    if (names.size() != method.what.takes.size()) return std::nullopt;
    value::list list;
    for (const auto& take : method.what.takes) {
        const auto it = std::ranges::find(names, take.name);
        if (it == names.end()) return std::nullopt;
        auto input = read(static_cast<std::size_t>(it - names.begin()), take.of);
        if (!input) return std::nullopt;
        list.push_back(*std::move(input));
    }
    if (!method_registry::takes(method, list)) return std::nullopt;
    return list;
}

}  // namespace

result<void> xmlrpc_json_endpoint::add_routes(http::router& to) {
    for (const char* const method : {"GET", "POST"}) {
        CHECK_OK(to.add(
            method,
            "/rhn/manager/api/{method...}",
            {.handle = [this](http::request request) { return respond(std::move(request)); },
             .body_bytes_max = call_bytes_max}));
    }
    return {};
}

result<xmlrpc_json_endpoint::meant> xmlrpc_json_endpoint::choose(
    const http::request& request, const std::string& body) const {
    auto name = request.captured("method");
    std::ranges::replace(name, '/', '.');
    const auto ways = methods_.all().find(name);
    if (ways == methods_.all().end()) return fail(errc::not_found, "There is no such method");
    std::vector<std::string> names;
    read_one read;
    if (request.method() == "POST") {
        json::error_code failure;
        json::parse_options options;
        options.max_depth = json_depth_max;
        auto parsed = body.empty() ? json::object() : json::parse(body, failure, {}, options);
        if (failure || !parsed.is_object())
            return fail(errc::invalid, "The body is no JSON object");
        std::vector<json::value> values;
        for (auto& each : parsed.get_object()) {
            names.emplace_back(each.key());
            values.push_back(std::move(each.value()));
        }
        read = [values = std::move(values)](
                   std::size_t at, const api::shape& shape) -> result<value> {
            return api::with_times(api::from_json(values[at]), shape);
        };
    } else {
        TRY(const auto pairs, http::all_of_query(request.whole_query()));
        std::map<std::string, given_texts> values;
        for (const auto& [which, text] : pairs) values[which].push_back(text);
        for (const auto& each : values) names.push_back(each.first);
        read = [names, values = std::move(values)](std::size_t at, const api::shape& shape) {
            return read_texts(values.at(names[at]), shape);
        };
    }
    for (const auto* way : ways->second) {
        if (api::to_string(way->what.method) != request.method()) continue;
        if (const auto input = fitting(*way, names, read))
            return meant{.which = way, .arguments = method_registry::named(*way, *input)};
    }
    return fail(
        errc::invalid,
        name + " does not take these arguments with " + std::string(request.method()));
}

async<http::response> xmlrpc_json_endpoint::perform(meant meant, sender from) {
    const method& method = *meant.which;
    auto who = co_await door_.admit(method, std::move(from.key), std::move(from.origin));
    if (!who && who.error().code() == errc::denied)
        co_return with_status(401, told(who.error().detail()));
    CO_CHECK_OK(who);
    const bool login = method.what.name == "auth.login";
    call call(method.what, *std::move(who), std::move(meant.arguments));
    if (method.takes_edit()) call.edit = std::move(from.edit);
    auto input = co_await methods_.perform(method, std::move(call));
    if (!input) {
        const bool denied = input.error().code() == errc::denied;
        const unsigned status = login ? 401 : 403;
        co_return with_status(denied ? status : 200, told(input.error().detail()));
    }
    if (login) co_return logged_in(input->content);
    if (input->items) {
        auto listed = co_await list_response(std::move(input->items), in_json());
        if (!listed) co_return told(listed.error().detail());
        co_return naming_missing(*std::move(listed), input->missing_nodes);
    }
    const json::object message{{"success", true}, {"result", spelled(input->content)}};
    co_return naming_missing(run_sync(media, json::serialize(message)), input->missing_nodes);
}

async<http::response> xmlrpc_json_endpoint::respond(http::request request) {
    const std::string accepted(request.field("Accept-Encoding").value_or(""));
    CO_TRY(auto result, co_await answer_to(std::move(request)));
    co_return net::gzip::compressed_response(std::move(result), accepted);
}

async<http::response> xmlrpc_json_endpoint::answer_to(http::request request) {
    std::string body;
    auto key = api::cookie_in(request.field("Cookie").value_or(""), cookie).value_or("");
    auto origin = request.client_address().to_string();
    if (request.method() == "POST") {
        if (api::from_another_site(request))
            co_return with_status(403, told("a browser must send this from our own page"));
        auto read = co_await read_call(&request, [this, key, origin](const std::string&) {
            return door_.admit_holder(key, origin);
        });
        if (!read && read.error().code() == errc::denied)
            co_return with_status(401, told(read.error().detail()));
        CO_CHECK_OK(read);
        body = *std::move(read);
    }
    auto desired = choose(request, body);
    if (!desired) {
        const unsigned status = desired.error().code() == errc::not_found ? 404 : 400;
        co_return with_status(status, told(desired.error().detail()));
    }
    sender from{
        .key = std::move(key),
        .origin = std::move(origin),
        .edit = std::string(request.field("Muster-Edit").value_or(""))};
    co_return co_await perform(*std::move(desired), std::move(from));
}

}  // namespace muster::xmlrpc_api
