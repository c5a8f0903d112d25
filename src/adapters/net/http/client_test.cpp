#include "adapters/net/http/client.h"

#include "adapters/net/http/events.h"
#include "tests/fixtures/net/http_fixture.h"
#include "tests/harness/process.h"

#include <future>

namespace muster::net::http {
namespace {

using namespace test;

async<void> ask_twice(const server_fixture* fixture) {
    client from({.clock = &the_clock(), .tls = client_tls()});
    CO_TRY(const auto first, co_await from.send({.url = fixture->url("/")}));
    CHECK(from.idle_connections() == 1);
    CO_TRY(const auto second, co_await from.send({.url = fixture->url("/count")}));
    CHECK(first.body == "hello");
    CHECK(second.body == "one two three");
    CHECK(from.idle_connections() == 1);
    CHECK(fixture->running->metrics().connections_accepted == 1);
    co_return result<void>();
}

TEST_CASE("a client keeps its connection for the next request") {
    const server_fixture fixture;

    CHECK(run(ask_twice(&fixture)).has_value());
}

async<void> ask_around_a_closing(const server_fixture* fixture) {
    client from({.clock = &the_clock(), .tls = client_tls()});
    CO_CHECK_OK(co_await from.send({.url = fixture->url("/")}));
    while (fixture->running->metrics().connections_open > 0) {
        CO_CHECK_OK(co_await the_clock().sleep_for(5ms));
    }
    CO_TRY(const auto again, co_await from.send({.url = fixture->url("/")}));
    CHECK(again.body == "hello");
    co_return result<void>();
}

TEST_CASE("a connection that the server closed meanwhile is replaced without a word") {
    auto allowed = quick_limits();
    allowed.idle_time = 20ms;
    const server_fixture fixture({.allowed = allowed});

    CHECK(run(ask_around_a_closing(&fixture)).has_value());
}

async<client_response> fetch(client_limits allowed, client_request request) {
    client from({.clock = &the_clock(), .tls = client_tls(), .limits = allowed});
    co_return co_await from.send(std::move(request));
}

async<response> never_answer(request) {
    CO_CHECK_OK(co_await the_clock().sleep_for(1h));
    co_return response();
}

TEST_CASE("no answer in time, too large an answer and nobody there are different errors") {
    auto routes = usual_routes();
    REQUIRE(routes->add("GET", "/never", {.handle = never_answer}).has_value());
    const server_fixture fixture({.routes = routes});

    const auto silent = run(fetch({.first_byte_time = 50ms}, {.url = fixture.url("/never")}));
    CHECK(silent.error().code() == errc::timed_out);
    const auto large = run(fetch({.body_bytes_max = 1000}, {.url = fixture.url("/big")}));
    CHECK(large.error().code() == errc::invalid);
    const auto nobody = run(fetch({}, {.url = "https://127.0.0.1:1/"}));
    CHECK(nobody.error().code() == errc::unavailable);
    CHECK(nobody.error().detail().contains("127.0.0.1:1"));
    const auto clear = run(fetch({}, {.url = "http://192.0.2.1:1/", .fields = {{"a", "b\r\nc"}}}));
    CHECK_FALSE(clear.has_value());
    CHECK(run(fetch({}, {.url = "ftp://x/"})).error().code() == errc::invalid);
    CHECK(run(fetch({}, {.url = "https://user:secret@x/"})).error().code() == errc::invalid);
}

TEST_CASE("a field that would break out of its line is never sent") {
    const server_fixture fixture;

    const auto sent =
        run(fetch({}, {.url = fixture.url("/"), .fields = {{"x", "y\r\nAuthorization: z"}}}));

    CHECK(sent.error().code() == errc::invalid);
    CHECK(fixture.running->metrics().requests == 0);
}

TEST_CASE("URLs are read with their defaults") {
    const auto plain = parse_url("http://localhost").value();
    CHECK(plain.address == endpoint{.host = "localhost", .port = 80});
    CHECK(plain.target == "/");
    CHECK(plain.authority() == "localhost");
    const auto full = parse_url("https://[::1]:8443?fp=a").value();
    CHECK(full.address == endpoint{.host = "::1", .port = 8443});
    CHECK(full.target == "/?fp=a");
    CHECK(full.authority() == "[::1]:8443");
    for (const auto* wrong : {"", "https://", "https://a:b/", "https://a/ b", "https://a:99999/"})
        CHECK_FALSE(parse_url(wrong).has_value());
}

// An event stream that says one thing, waits long, and says another when it is released.
struct slow_source {
    std::atomic<bool> released = false;
    std::atomic<bool> ended = false;
    std::string last;
};

async<void> wait_for_release(slow_source* from) {
    while (!from->released) {
        CO_CHECK_OK(co_await the_clock().sleep_for(5ms));
    }
    co_return result<void>();
}

async<void> say_twice(slow_source* from, event_writer to) {
    CO_CHECK_OK(co_await to.send({.data = "first\nline", .name = "greeting", .id = "1"}));
    const auto waited = co_await to.next(wait_for_release(from));
    if (!waited) from->last = waited.error().detail();
    from->ended = true;
    CO_CHECK_OK(waited);
    co_return co_await to.send({.data = "second"});
}

async<response> slow_events(slow_source* from, request) {
    co_return event_stream([from](event_writer to) { return say_twice(from, to); });
}

std::shared_ptr<router> event_routes(slow_source* from) {
    auto routes = usual_routes();
    const route slow{.handle = [from](request r) {
        return slow_events(from, std::move(r));
    }};
    REQUIRE(routes->add("GET", "/events", slow).has_value());
    return routes;
}

async<std::string> listen_for_a_while(const server_fixture* fixture, slow_source* source) {
    client from({.clock = &the_clock(), .tls = client_tls()});
    CO_TRY(auto opened, co_await from.open({.url = fixture->url("/events")}));
    CHECK(opened.field("content-type") == "text/event-stream");
    std::string all;
    while (true) {
        CO_TRY(const std::string piece, co_await opened.next());
        if (piece.empty()) co_return all;
        all += piece;
        if (occurrences(all, ":\n\n") > 4) source->released = true;
    }
}

TEST_CASE("an event stream survives idle times by heartbeats") {
    slow_source source;
    auto allowed = quick_limits();
    allowed.idle_time = 100ms;
    const server_fixture fixture({.allowed = allowed, .routes = event_routes(&source)});

    const auto all = run(listen_for_a_while(&fixture, &source)).value();

    CHECK(all.starts_with(":\n\nid: 1\nevent: greeting\ndata: first\ndata: line\n\n"));
    CHECK(all.ends_with("data: second\n\n"));
}

async<void> listen_and_leave(const server_fixture* fixture) {
    client from({.clock = &the_clock(), .tls = client_tls()});
    CO_TRY(auto opened, co_await from.open({.url = fixture->url("/events")}));
    CO_CHECK_OK(co_await opened.next());
    co_return result<void>();
}

TEST_CASE("an event stream notices that its client has gone, and that the server stops") {
    slow_source left;
    auto allowed = quick_limits();
    allowed.event_heartbeat = 1h;
    const server_fixture fixture({.allowed = allowed, .routes = event_routes(&left)});
    REQUIRE(run(listen_and_leave(&fixture)).has_value());
    harness::eventually("the source's end", [&] { return left.ended.load(); });
    CHECK(left.last == "client closed the connection");

    slow_source stopped;
    const server_fixture stopping({.allowed = allowed, .routes = event_routes(&stopped)});
    auto listening = std::async(
        std::launch::async, [&] { return run(listen_for_a_while(&stopping, &stopped)); });
    harness::eventually(
        "the first event", [&] { return stopping.running->metrics().bytes_sent > 0; });
    CHECK(run(stopping.running->drain(10s)).has_value());
    CHECK(stopped.last == "server is stopping");
    CHECK_FALSE(listening.get().has_value());
}

}  // namespace
}  // namespace muster::net::http
