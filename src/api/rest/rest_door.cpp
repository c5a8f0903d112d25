#include "api/rest/rest_door.h"

#include "adapters/net/http/events.h"
#include "adapters/net/http/uri.h"
#include "api/operations/json_value.h"
#include "api/operations/lasting_stream.h"
#include "api/operations/precondition.h"
#include "api/operations/related.h"

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
    const api::operation& what, std::string_view name, api::place in) {
    const auto found = std::ranges::find_if(
        what.takes, [&](const api::parameter& each) { return each.in == in && each.name == name; });
    return found == what.takes.end() ? nullptr : &*found;
}

result<void> take_path(
    const api::operation& what, const http::request& asked, value::record& into) {
    for (const auto& each : what.takes) {
        if (each.in != api::place::path) continue;
        TRY(auto given, api::read(asked.captured(each.name), each.of, each.name));
        into.push_back({each.name, std::move(given)});
    }
    return {};
}

result<void> take_query(
    const api::operation& what, const http::request& asked, value::record& into) {
    TRY(const auto pairs, http::all_of_query(asked.whole_query()));
    for (const auto& [name, text] : pairs) {
        const auto* wanted = find_parameter(what, name, api::place::query);
        if (wanted == nullptr)
            return fail(errc::invalid, fmt::format("`{}` is not known here", name));
        if (std::ranges::find(into, name, &api::member::name) != into.end())
            return fail(errc::invalid, fmt::format("`{}` is given twice", name));
        TRY(auto given, api::read(text, wanted->of, name));
        into.push_back({name, std::move(given)});
    }
    return {};
}

result<void> take_body(const api::operation& what, const std::string& text, value::record& into) {
    if (text.empty()) return {};
    json::error_code failure;
    json::parse_options how;
    how.max_depth = json_depth_max;
    const auto parsed = json::parse(text, failure, {}, how);
    if (failure || !parsed.is_object()) return fail(errc::invalid, "the body is not a JSON object");
    for (const auto& each : parsed.get_object()) {
        const std::string name(each.key());
        if (find_parameter(what, name, api::place::body) == nullptr)
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
bool forged(const visitor& who, const api::operation& what, const http::request& asked) {
    if (what.method == api::verb::get) return false;
    if (from_another_site(asked)) return true;
    return who.by_cookie
           && (who.csrf.empty() || asked.field("X-Muster-CSRF").value_or("") != who.csrf);
}

http::response respond(
    const api::operation& what, reply given, const std::optional<std::string>& condition) {
    http::response made{.status = given.status.value_or(what.status)};
    made.fields = std::move(given.fields);
    if (given.stream) {
        auto stream = http::event_stream(std::move(given.stream));
        stream.fields.insert(stream.fields.end(), made.fields.begin(), made.fields.end());
        return stream;
    }
    if (given.other) {
        made.body = std::move(given.other->body);
        made.fields.emplace_back("Content-Type", std::move(given.other->media));
    } else if (made.status != 204) {
        made.body = json::serialize(given.content);
        made.fields.emplace_back("Content-Type", "application/json");
    }
    if (what.changes()) return no_store(std::move(made));
    auto etag = given.etag.empty() ? etag_of(made.body) : std::move(given.etag);
    if (matches(condition, etag)) made = {.status = 304};
    made.fields.emplace_back("ETag", std::move(etag));
    made.fields.emplace_back("Cache-Control", "private, no-cache");
    return made;
}

// Fields that say which record, or which session, is meant: bounded as the document says.
result<void> check_fields(const http::request& asked) {
    for (const char* const name : {"If-Match", "If-None-Match", "Muster-Edit"}) {
        const auto field = asked.field(name);
        if (field && field->size() > static_cast<std::size_t>(api::header_bytes_max))
            return fail(
                errc::invalid,
                fmt::format("{} is longer than {} bytes", name, api::header_bytes_max));
    }
    return {};
}

}  // namespace

async<value> read_arguments(const api::operation& what, http::request& asked) {
    value::record given;
    CO_CHECK_OK(take_path(what, asked, given));
    CO_CHECK_OK(take_query(what, asked, given));
    if (what.method != api::verb::get) {
        CO_TRY(const auto body, co_await asked.body());
        CO_CHECK_OK(take_body(what, body, given));
    }
    co_return value(std::move(given));
}

async<visitor> rest_door::admit(const api::operation& what, const http::request& asked) {
    if (what.needed == access::right::none) co_return desk_.admit_anybody(asked);
    co_return co_await desk_.admit(asked);
}

async<http::response> rest_door::guarded(const registry::entry& which, http::request asked) {
    auto given = co_await answer(which, std::move(asked));
    if (!given) given = problem_of(given.error());
    // Whatever it holds, no browser makes a page or a script of it, or shows it within another.
    given->fields.emplace_back("X-Content-Type-Options", "nosniff");
    given->fields.emplace_back(
        "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    co_return given;
}

async<http::response> rest_door::answer(const registry::entry& which, http::request asked) {
    auto who = co_await admit(which.what, asked);
    if (!who) co_return refused(who.error());
    if (forged(*who, which.what, asked))
        co_return http::problem(
            403, "a change that a browser sends must come from our own page, with X-Muster-CSRF");
    if (const auto fits = check_fields(asked); !fits) co_return http::problem(fits.error());
    auto arguments = co_await read_arguments(which.what, asked);
    if (!arguments) co_return http::problem(arguments.error());
    call made(which.what, *std::move(who), *std::move(arguments));
    made.last_event = asked.field("Last-Event-ID").value_or("");
    made.wants_events =
        asked.field("Accept").value_or("").find("text/event-stream") != std::string_view::npos;
    made.idempotency_key = asked.field("Idempotency-Key").value_or("");
    if (which.what.changes()) {
        made.edit = asked.field("Muster-Edit").value_or("");
        made.if_match = asked.field("If-Match").value_or("");
    }
    std::optional<std::string> condition;
    if (const auto field = asked.field("If-None-Match")) condition = *field;
    reading of{which, made.who(), made.arguments(), std::string(asked.path())};
    const auto asks = made.who();
    auto given = co_await all_.perform(which, std::move(made));
    if (given) {
        // What a change is compared with (precondition.h) is the record without its links.
        const bool record = !which.related.empty() && !of.arguments.find(expand_parameter);
        if (record) given->etag = etag_of(json::serialize(given->content));
        given = co_await with_related(all_, std::move(of), *std::move(given));
    }
    // A change that had no answer in time may be done all the same: 504, not "try again".
    if (!given && which.what.changes()) co_return http::problem(given.error());
    if (!given) co_return problem_of(given.error());
    if (given->stream) {
        auto seat = seats_.take();
        if (!seat)
            co_return problem_of(
                {errc::unavailable, "this server has too many streams already; ask another"});
        given->stream = while_let_in(std::move(given->stream), asks, std::move(seat));
    }
    co_return respond(which.what, *std::move(given), condition);
}

result<void> rest_door::add_routes(http::router& to) {
    for (const auto& each : all_.all()) {
        CHECK_OK(to.add(
            api::to_string(each.what.method),
            each.what.path,
            {.handle = [this,
                        &each](http::request asked) { return guarded(each, std::move(asked)); },
             .body_bytes_max = static_cast<std::size_t>(each.what.body_bytes_max)}));
    }
    return {};
}

}  // namespace muster::api
