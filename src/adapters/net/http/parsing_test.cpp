// The parts that need no socket.
#include "adapters/net/http/body_decoder.h"
#include "adapters/net/http/events.h"
#include "adapters/net/http/request_head.h"
#include "adapters/net/http/router.h"
#include "adapters/net/http/serialise.h"
#include "adapters/net/http/uri.h"

#include <doctest/doctest.h>

#include <rapidcheck.h>

namespace muster::net::http {
namespace {

parsed<request_head> parse(std::string_view text) {
    return request_head::parse(text, {});
}

async<response> nothing(request) {
    co_return response();
}

TEST_CASE("a head is found as soon as it is complete, however it is cut into pieces") {
    const std::string text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    std::size_t scanned = 0;
    for (std::size_t size = 0; size < text.size(); ++size) {
        const auto head_end = find_head_end(std::string_view(text).substr(0, size), scanned);
        CHECK(head_end.state == scan::incomplete);
        scanned = head_end.size;
    }

    CHECK(find_head_end(text + "next", scanned).state == scan::complete);
    CHECK(find_head_end(text + "next", scanned).size == text.size());
}

TEST_CASE("a request's path and query are taken from either form of target") {
    const auto plain = parse("GET /a/b?c=d HTTP/1.1\r\nHost: x\r\n\r\n").value();
    CHECK(plain.path() == "/a/b");
    CHECK(plain.query() == "c=d");
    const auto absolute = parse("GET https://x:1/a?b HTTP/1.1\r\nHost: x\r\n\r\n").value();
    CHECK(absolute.path() == "/a");
    CHECK(absolute.query() == "b");
    const auto pathless = parse("GET https://x:1?b/c HTTP/1.1\r\nHost: x\r\n\r\n").value();
    CHECK(pathless.path() == "/");
    CHECK(pathless.query() == "b/c");
    CHECK(parse("GET https://x HTTP/1.1\r\nHost: x\r\n\r\n")->path() == "/");
    CHECK(parse("GET http://x HTTP/1.1\r\nHost: x\r\n\r\n")->path() == "/");
    CHECK(parse("GET * HTTP/1.1\r\nHost: x\r\n\r\n").error().status == 400);
    CHECK(parse("GET  / HTTP/1.1\r\nHost: x\r\n\r\n").error().status == 400);
    CHECK(parse("\r\n").error().status == 400);
}

TEST_CASE("field names have no case and values no outer white space") {
    const auto head = parse("GET / HTTP/1.1\r\nhOST: \t x y \r\nEmpty:\r\n\r\n").value();

    CHECK(head.field("Host") == "x y");
    CHECK(head.field("empty") == "");
    CHECK_FALSE(head.field("hos").has_value());
}

TEST_CASE("whether a connection stays depends on version and Connection field") {
    CHECK(parse("GET / HTTP/1.1\r\nHost: x\r\n\r\n")->keep_alive());
    CHECK_FALSE(parse("GET / HTTP/1.1\r\nHost: x\r\nConnection: a, Close\r\n\r\n")->keep_alive());
    CHECK_FALSE(
        parse("GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n")
            ->keep_alive());
    CHECK_FALSE(parse("GET / HTTP/1.0\r\n\r\n")->keep_alive());
    CHECK(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")->keep_alive());
}

TEST_CASE("every chunked body is decoded alike, wherever the network cuts it") {
    rc::check([](const std::vector<std::string>& pieces, std::uint8_t step) {
        std::string wire;
        std::string whole;
        for (const auto& piece : pieces) {
            if (!piece.empty()) append_chunk(wire, piece);
            whole += piece;
        }
        wire += last_chunk;
        wire += "next request";
        body_decoder decoder({.kind = body_kind::chunked});
        std::string decoded;
        std::size_t used = 0;
        while (!decoder.at_end()) {
            const auto reserved =
                decoder.feed(std::string_view(wire).substr(used, std::size_t{step} + 1), decoded);
            RC_ASSERT(reserved.has_value());
            used += *reserved;
        }
        RC_ASSERT(decoded == whole);
        RC_ASSERT(wire.substr(used) == "next request");
    });
}

TEST_CASE("a sized body ends with its last byte") {
    body_decoder decoder({.kind = body_kind::sized, .size = 3});
    std::string decoded;

    CHECK(decoder.feed("ab", decoded).value() == 2);
    CHECK_FALSE(decoder.end_of_connection().has_value());
    CHECK(decoder.feed("cd", decoded).value() == 1);
    CHECK(decoder.at_end());
    CHECK(decoded == "abc");
}

TEST_CASE("a router prefers literals, captures segments and rests, and goes back when it must") {
    router routes;
    const route to{.handle = nothing};
    REQUIRE(routes.add("GET", "/systems/{id}", to).has_value());
    REQUIRE(routes.add("GET", "/systems/new", to).has_value());
    REQUIRE(routes.add("GET", "/systems/new/{what}/x", to).has_value());
    REQUIRE(routes.add("GET", "/{any}/{thing}/y", to).has_value());
    REQUIRE(routes.add("GET", "/ui/{path...}", to).has_value());
    const auto values = [&](std::string_view path) {
        auto outcome = routes.find("GET", path);
        const auto* match = std::get_if<router::match>(&outcome);
        return match == nullptr ? std::optional<captures>() : match->captures;
    };

    CHECK(values("/systems/new") == captures{});
    CHECK(values("/systems/new%2F1") == captures{{"id", "new/1"}});
    CHECK(values("/systems/new/y") == captures{{"any", "systems"}, {"thing", "new"}});
    CHECK(values("/ui/a/b.js") == captures{{"path", "a/b.js"}});
    CHECK(values("/ui/") == captures{{"path", ""}});
    CHECK_FALSE(values("/systems/").has_value());
    CHECK_FALSE(values("/systems").has_value());
    CHECK(std::holds_alternative<router::malformed_path>(routes.find("GET", "/systems/%zz")));
    CHECK(
        std::get<router::method_not_found>(routes.find("PUT", "/systems/1")).allowed
        == "GET, HEAD");
}

TEST_CASE("a router refuses patterns it could not keep apart") {
    router routes;
    const route to{.handle = nothing};
    REQUIRE(routes.add("GET", "/a/{b}", to).has_value());

    for (const auto* pattern : {"/a/{c}", "a", "/{}", "/{a...}/b", "/a{b}", "/%41"})
        CHECK(routes.add("GET", pattern, to).error().code() == errc::invalid);
    CHECK(routes.add("POST", "/a/{c}", to).has_value());
}

TEST_CASE("percent encoding gives back every text, and broken escapes are refused") {
    rc::check([](const std::string& text) {
        RC_PRE(!text.contains('\0'));
        RC_ASSERT(percent_decode(percent_encode(text)).value() == text);
    });
    for (const auto* wrong : {"%", "%4", "%zz", "%00"}) CHECK_FALSE(percent_decode(wrong));
    CHECK(query_value("a=1&b=x+y%21&c", "b") == "x y!");
    CHECK(query_value("a=1&b=2&c", "c") == "");
    CHECK_FALSE(query_value("a=1", "b").has_value());
    CHECK(
        parse_query("a=1&&b=x+y%21&c").value()
        == query_pairs{{"a", "1"}, {"b", "x y!"}, {"c", ""}});
    CHECK(parse_query("a=%4").error().code() == errc::invalid);
}

TEST_CASE("an answer whose field would break out of its line is not written") {
    std::string out;
    const response evil{.fields = {{"location", "/\r\nset-cookie: x"}}};

    CHECK(append_head(out, evil, {}).error().code() == errc::invalid);
}

TEST_CASE("dates, JSON and events are written as their standards say") {
    CHECK(http_date(wall_time(std::chrono::seconds(784111777))) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(quoted_json("a\"b\\c\n") == R"("a\"b\\c\u000a")");
    CHECK(
        to_text(event{.data = "a\r\nb\rc", .name = "x\ny", .id = ""})
        == "event: xy\ndata: a\ndata: b\ndata: c\n\n");
}

}  // namespace
}  // namespace muster::net::http
