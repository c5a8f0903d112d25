#include "ports/deadline.h"
#include "tests/fixtures/net/http_fixture.h"
#include "tests/harness/process.h"

#include <semaphore>
#include <thread>

namespace muster::net::http {
namespace {

using namespace test;

std::string get(std::string_view path, std::string_view more = "") {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(more) + "\r\n";
}

constexpr std::string_view close_after = "Connection: close\r\n";

async<client_response> fetch(client_request request) {
    client from({.clock = &the_clock(), .tls = client_tls()});
    co_return co_await from.send(std::move(request));
}

TEST_CASE("a request over HTTPS is answered, with its captures and query decoded") {
    const server_fixture fixture;

    const auto got = run(fetch({.url = fixture.url("/greet/web%201?mark=%21")})).value();

    CHECK(got.status == 200);
    CHECK(got.body == "hello web 1!");
    CHECK(got.field("content-type") == "text/plain; charset=utf-8");
    CHECK(got.field("date").value_or("").ends_with(" GMT"));
}

TEST_CASE("unknown paths, wrong methods, errors and exceptions become problem+json") {
    const server_fixture fixture;

    CHECK(run(fetch({.url = fixture.url("/nowhere")}))->status == 404);
    const auto wrong = run(fetch({.method = "DELETE", .url = fixture.url("/greet/x")})).value();
    CHECK(wrong.status == 405);
    CHECK(wrong.field("allow") == "GET, HEAD");
    const auto missing = run(fetch({.url = fixture.url("/missing")})).value();
    CHECK(missing.status == 404);
    CHECK(missing.field("content-type") == "application/problem+json");
    CHECK(
        missing.body
        == R"({"type":"about:blank","title":"Not Found","status":404,)"
           R"("detail":"no system \"web1\""})");
    const auto thrown = run(fetch({.url = fixture.url("/throw")})).value();
    CHECK(thrown.status == 500);
    CHECK_FALSE(thrown.body.contains("broken handler"));
    CHECK(fixture.running->metrics().handler_failures == 1);
    CHECK(fixture.running->metrics().responses_by_class.at(3) == 3);
}

TEST_CASE("HEAD is answered by GET's handler, without the body") {
    const server_fixture fixture;

    const auto answer = talk(fixture, "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

    CHECK(answer.contains("content-length: 5\r\n"));
    CHECK(answer.ends_with("\r\n\r\n"));
}

TEST_CASE("pipelined requests are answered in order") {
    const server_fixture fixture;

    const auto answer = talk(
        fixture,
        get("/greet/a") + "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\npatch night"
            + get("/count") + get("/greet/b", close_after));

    CHECK(occurrences(answer, "HTTP/1.1 200 OK") == 4);
    CHECK(answer.find("hello a.") < answer.find("patch night"));
    CHECK(answer.find("patch night") < answer.find("three"));
    CHECK(answer.find("three") < answer.find("hello b."));
}

async<std::string> ask_and_finish(destination to, std::string bytes) {
    CO_TRY(auto over, co_await connect(std::move(to)));
    CO_CHECK_OK(co_await over->write(std::move(bytes)));
    over->finish_sending();
    co_return co_await read_all(over.get());
}

// Counts requests, and how many had been answered when something else had its turn on the loop.
struct turn_taker {
    std::size_t answered = 0;
    std::size_t answered_before_others = 0;

    async<response> answer(request /*asked*/) {
        if (++answered == 1) {
            asio::post(
                co_await asio::this_coro::executor, [this] { answered_before_others = answered; });
        }
        co_return text(200, "x");
    }
};

TEST_CASE("a client with endless requests leaves turns to everybody else on its loop") {
    constexpr std::size_t many = 400;
    turn_taker counted;
    const auto routes = std::make_shared<router>();
    const handler count = [&counted](request request) {
        return counted.answer(std::move(request));
    };
    REQUIRE(routes->add("GET", "/", {.handle = count}).has_value());
    const server_fixture fixture({.routes = routes});
    std::string flood;
    for (std::size_t each = 1; each < many; ++each) flood += get("/");
    flood += get("/", close_after);

    CHECK(occurrences(talk(fixture, flood), "200 OK") == many);

    CHECK(counted.answered == many);
    CHECK(counted.answered_before_others > 0);
    CHECK(counted.answered_before_others < many / 2);
}

TEST_CASE("a client that has finished sending still gets its answers") {
    const server_fixture fixture;
    const auto secure = client_tls();

    const auto answer =
        run(ask_and_finish(
                {.address = fixture.address(), .tls = secure}, get("/greet/a") + get("/greet/b")))
            .value();

    CHECK(answer.contains("hello a."));
    CHECK(answer.contains("hello b."));
}

TEST_CASE("what could smuggle a request is refused") {
    const server_fixture fixture;
    const std::string post = "POST /echo HTTP/1.1\r\nHost: x\r\n";

    for (const std::string& bytes :
         {post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
          post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
          post + "Content-Length: +3\r\n\r\nabc",
          post + "Content-Length: 3, 3\r\n\r\nabc",
          post + "Content-Length : 3\r\n\r\nabc",
          post + "X: a\r\n folded\r\n\r\n",
          post + "X: a\nContent-Length: 3\r\n\r\nabc",
          post + "X: a\rb\r\n\r\n",
          std::string("GET / HTTP/1.1\nHost: x\n\n"),
          std::string("GET / HTTP/1.1\r\n\r\n"),
          std::string("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"),
          post + "Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n",
          post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
          post + "Transfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n0\r\n\r\n"}) {
        INFO(bytes);
        const auto answer = talk(fixture, bytes + get("/greet/smuggled"));
        CHECK(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"));
        CHECK(occurrences(answer, "HTTP/1.1 ") == 1);
        CHECK(answer.contains("connection: close\r\n"));
    }
    CHECK(talk(fixture, post + "Transfer-Encoding: gzip, chunked\r\n\r\n").contains(" 501 "));
    CHECK(talk(fixture, "GET / HTTP/2.0\r\nHost: x\r\n\r\n").contains(" 505 "));
}

TEST_CASE("a chunked body is put together, whatever its pieces") {
    const server_fixture fixture;

    const auto answer = talk(
        fixture,
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        "3\r\nabc\r\n10;why=not\r\n0123456789abcdef\r\n0\r\nTrailer: dropped\r\n\r\n");

    CHECK(answer.ends_with("\r\n\r\nabc0123456789abcdef"));
}

TEST_CASE("a client that asks first is told to go on before it sends its body") {
    auto allowed = quick_limits();
    allowed.body_time = 50ms;
    const server_fixture fixture({.allowed = allowed});

    const auto answer = talk(
        fixture,
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n"
        "Connection: close\r\n\r\n");

    CHECK(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\n"));
    CHECK(answer.contains("HTTP/1.1 408 Request Timeout\r\n"));
}

TEST_CASE("too large a header, too many fields and too large a body have their own answers") {
    const server_fixture fixture;
    const std::string huge(20'000, 'x');
    std::string many;
    for (int field = 0; field < 101; ++field) many += "X: y\r\n";

    CHECK(talk(fixture, get("/", "X: " + huge + "\r\n")).contains(" 431 "));
    CHECK(talk(fixture, get("/", many)).contains(" 431 "));
    CHECK(talk(fixture, "POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n" + huge)
              .contains(" 413 "));
    CHECK(talk(
              fixture,
              "POST /small HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
              "b\r\n0123456789a\r\n0\r\n\r\n")
              .contains(" 413 "));
}

TEST_CASE("a body nobody wanted does not become the next request") {
    const server_fixture fixture;

    const auto answer = talk(
        fixture,
        "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\n" + get("/greet/evil")
            + get("/greet/good", close_after));

    CHECK_FALSE(answer.contains("hello evil"));
}

TEST_CASE("HTTP/1.0 gets one answer and a closed connection, also for a stream") {
    const server_fixture fixture;

    CHECK(talk(fixture, "GET / HTTP/1.0\r\n\r\n").ends_with("\r\n\r\nhello"));
    const auto streamed = talk(fixture, "GET /count HTTP/1.0\r\n\r\n");
    CHECK(streamed.ends_with("\r\n\r\none two three"));
    CHECK_FALSE(streamed.contains("chunked"));
}

TEST_CASE("a stream that breaks off is never taken for the whole") {
    const server_fixture fixture;

    const auto got = run(fetch({.url = fixture.url("/break")}));

    CHECK(got.error().detail().contains("incomplete"));
    CHECK(run(fetch({.url = fixture.url("/count")}))->body == "one two three");
}

TEST_CASE("a large answer arrives whole, in the clear and under TLS") {
    const server_fixture fixture;

    CHECK(run(fetch({.url = fixture.url("/big")}))->body.size() == 4'000'000);
    CHECK(run(fetch({.url = fixture.plain_url("/big")}))->body.size() == 4'000'000);
}

TEST_CASE("HTTP without TLS is refused on any address but loopback") {
    std::vector<listener> listeners;
    listeners.push_back({.address = {.host = "0.0.0.0", .port = 0}, .tls = nullptr, .service = {}});

    const auto started = server::start({.listeners = std::move(listeners), .clock = &the_clock()});

    CHECK(started.error().detail().contains("only on loopback"));
}

TEST_CASE("a port that is taken is named") {
    const server_fixture fixture;
    std::vector<listener> listeners;
    listeners.push_back({.address = fixture.address(), .tls = fixture.tls, .service = {}});

    const auto second = server::start({.listeners = std::move(listeners), .clock = &the_clock()});

    CHECK(second.error().detail().contains(to_string(fixture.address())));
}

// A handler that never gives its loop back, until it is released.
struct hung_handler {
    std::binary_semaphore entered{0};
    std::binary_semaphore released{0};

    async<response> hang() {
        entered.release();
        released.acquire();
        co_return text(200, "late");
    }
};

async<void> pulse_soon(server* of) {
    co_return co_await within(the_clock(), 50ms, of->pulse());
}

async<void> pulse_in_time(server* of) {
    co_return co_await within(the_clock(), 30s, of->pulse());
}

TEST_CASE("a server has a pulse while all its loops turn") {
    hung_handler hung_handler;
    auto routes = std::make_shared<router>();
    const route held{.handle = [&hung_handler](const request& /*asked*/) {
        return hung_handler.hang();
    }};
    REQUIRE(routes->add("GET", "/", held).has_value());
    const auto running = server::start({.listeners =
                                            {{.address = {.host = "127.0.0.1", .port = 0},
                                              .tls = nullptr,
                                              .service = {.routes = routes}}},
                                        .clock = &the_clock(),
                                        .loops = 2})
                             .value();
    CHECK(run(pulse_in_time(running.get())).has_value());

    const auto url = "http://127.0.0.1:" + std::to_string(running->port(0)) + "/";
    std::thread client([&url] { CHECK(run(fetch({.url = url}))->status == 200); });
    hung_handler.entered.acquire();
    CHECK(run(pulse_soon(running.get())).error().code() == errc::timed_out);

    hung_handler.released.release();
    client.join();
    CHECK(run(pulse_in_time(running.get())).has_value());
}

}  // namespace
}  // namespace muster::net::http
