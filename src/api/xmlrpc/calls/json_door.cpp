#include "api/xmlrpc/calls/json_door.h"

#include "adapters/net/gzip/packed_answer.h"
#include "adapters/net/http/uri.h"
#include "core/api/timed.h"
#include "api/xmlrpc/calls/call_body.h"
#include "api/xmlrpc/calls/list_answer.h"
#include "api/operations/json_value.h"
#include "api/operations/session_cookie.h"

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

http::response with_status(unsigned status, http::response made) {
    made.status = status;
    return made;
}

http::response told(const std::string& message) {
    const json::object said{{"success", false}, {"message", message}};
    return answer_of(media, json::serialize(said));
}

// Members that are nothing are left out.
json::value spelled(const value& what) {
    if (const auto* members = what.get<value::record>()) {
        json::object made;
        for (const auto& each : *members) {
            if (!each.of.is_nothing()) made.emplace(each.name, spelled(each.of));
        }
        return made;
    }
    if (const auto* items = what.get<value::list>()) {
        json::array made;
        for (const auto& each : *items) made.push_back(spelled(each));
        return made;
    }
    return api::to_json(what);
}

list_spelling in_json() {
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
    auto made = answer_of(media, R"({"success":true})");
    made.fields.emplace_back(
        "Set-Cookie",
        fmt::format(
            "{}={}; Path=/; Secure; HttpOnly; SameSite=Strict", cookie, *key.get<std::string>()));
    return made;
}

// What stands in a query under one name. A list may be written as "a,b", or item by item.
using given_texts = std::vector<std::string>;
result<value> read_texts(const given_texts& given, const api::shape& wanted) {
    if (given.size() == 1) {
        TRY(auto made, api::read(given.front(), wanted, ""));
        return api::with_times(std::move(made), wanted);
    }
    if (wanted.what() != api::shape::kind::list)
        return fail(errc::invalid, "it is given several times");
    value::list items;
    for (const auto& each : given) {
        TRY(auto made, api::read(each, wanted.element(), ""));
        items.push_back(api::with_times(std::move(made), wanted.element()));
    }
    return value(std::move(items));
}

// The arguments of one way to call a method, in its order; nothing when it does not take these.
using read_one = std::function<result<value>(std::size_t at, const api::shape& wanted)>;
std::optional<value::list> fitting(
    const method& which, const std::vector<std::string>& names, const read_one& read) {
    if (names.size() != which.what.takes.size()) return std::nullopt;
    value::list made;
    for (const auto& each : which.what.takes) {
        const auto found = std::ranges::find(names, each.name);
        if (found == names.end()) return std::nullopt;
        auto given = read(static_cast<std::size_t>(found - names.begin()), each.of);
        if (!given) return std::nullopt;
        made.push_back(*std::move(given));
    }
    if (!method_book::takes(which, made)) return std::nullopt;
    return made;
}

}  // namespace

result<void> json_door::add_routes(http::router& to) {
    for (const char* const method : {"GET", "POST"}) {
        CHECK_OK(to.add(
            method,
            "/rhn/manager/api/{method...}",
            {.handle = [this](http::request asked) { return respond(std::move(asked)); },
             .body_bytes_max = call_bytes_max}));
    }
    return {};
}

result<json_door::meant> json_door::choose(
    const http::request& asked, const std::string& body) const {
    auto name = asked.captured("method");
    std::ranges::replace(name, '/', '.');
    const auto ways = methods_.all().find(name);
    if (ways == methods_.all().end()) return fail(errc::not_found, "There is no such method");
    std::vector<std::string> names;
    read_one read;
    if (asked.method() == "POST") {
        json::error_code failure;
        json::parse_options how;
        how.max_depth = json_depth_max;
        auto parsed = body.empty() ? json::object() : json::parse(body, failure, {}, how);
        if (failure || !parsed.is_object())
            return fail(errc::invalid, "The body is no JSON object");
        std::vector<json::value> values;
        for (auto& each : parsed.get_object()) {
            names.emplace_back(each.key());
            values.push_back(std::move(each.value()));
        }
        read = [values = std::move(values)](
                   std::size_t at, const api::shape& wanted) -> result<value> {
            return api::with_times(api::from_json(values[at]), wanted);
        };
    } else {
        TRY(const auto pairs, http::all_of_query(asked.whole_query()));
        std::map<std::string, given_texts> values;
        for (const auto& [which, text] : pairs) values[which].push_back(text);
        for (const auto& each : values) names.push_back(each.first);
        read = [names, values = std::move(values)](std::size_t at, const api::shape& wanted) {
            return read_texts(values.at(names[at]), wanted);
        };
    }
    for (const auto* each : ways->second) {
        if (api::to_string(each->what.method) != asked.method()) continue;
        if (const auto given = fitting(*each, names, read))
            return meant{.which = each, .arguments = method_book::named(*each, *given)};
    }
    return fail(
        errc::invalid, name + " does not take these arguments with " + std::string(asked.method()));
}

async<http::response> json_door::perform(meant wanted, sender from) {
    const method& which = *wanted.which;
    auto who = co_await door_.admit(which, std::move(from.key), std::move(from.origin));
    if (!who && who.error().code() == errc::denied)
        co_return with_status(401, told(who.error().detail()));
    CO_CHECK_OK(who);
    const bool login = which.what.name == "auth.login";
    call made(which.what, *std::move(who), std::move(wanted.arguments));
    if (which.takes_edit()) made.edit = std::move(from.edit);
    auto given = co_await methods_.perform(which, std::move(made));
    if (!given) {
        const bool denied = given.error().code() == errc::denied;
        const unsigned status = login ? 401 : 403;
        co_return with_status(denied ? status : 200, told(given.error().detail()));
    }
    if (login) co_return logged_in(given->content);
    if (given->items) {
        auto listed = co_await list_answer(std::move(given->items), in_json());
        if (!listed) co_return told(listed.error().detail());
        co_return naming_missing(*std::move(listed), given->missing_nodes);
    }
    const json::object said{{"success", true}, {"result", spelled(given->content)}};
    co_return naming_missing(answer_of(media, json::serialize(said)), given->missing_nodes);
}

async<http::response> json_door::respond(http::request asked) {
    const std::string accepted(asked.field("Accept-Encoding").value_or(""));
    CO_TRY(auto made, co_await answer_to(std::move(asked)));
    co_return net::gzip::packed_answer(std::move(made), accepted);
}

async<http::response> json_door::answer_to(http::request asked) {
    std::string body;
    auto key = api::cookie_in(asked.field("Cookie").value_or(""), cookie).value_or("");
    auto origin = asked.client_address().to_string();
    if (asked.method() == "POST") {
        if (api::from_another_site(asked))
            co_return with_status(403, told("a browser must send this from our own page"));
        auto read = co_await read_call(&asked, [this, key, origin](const std::string&) {
            return door_.admit_holder(key, origin);
        });
        if (!read && read.error().code() == errc::denied)
            co_return with_status(401, told(read.error().detail()));
        CO_CHECK_OK(read);
        body = *std::move(read);
    }
    auto wanted = choose(asked, body);
    if (!wanted) {
        const unsigned status = wanted.error().code() == errc::not_found ? 404 : 400;
        co_return with_status(status, told(wanted.error().detail()));
    }
    sender from{
        .key = std::move(key),
        .origin = std::move(origin),
        .edit = std::string(asked.field("Muster-Edit").value_or(""))};
    co_return co_await perform(*std::move(wanted), std::move(from));
}

}  // namespace muster::xmlrpc_api
