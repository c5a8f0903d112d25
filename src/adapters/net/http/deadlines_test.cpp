// Slow, greedy and leaving clients; a server that stops.
#include "tests/fixtures/net/http_fixture.h"
#include "tests/harness/process.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include <future>

namespace muster::net::http {
namespace {

using namespace test;

// Sends one byte of a header at a time, for as long as the server listens.
async<std::string> drip(destination to) {
    CO_TRY(auto over, co_await connect(std::move(to)));
    CO_CHECK_OK(co_await over->write("GET / HTTP/1.1\r\nX: "));
    std::array<char, 4096> buffer{};
    while (true) {
        auto answer = co_await within(the_clock(), 20ms, over->read_some(buffer));
        if (answer) co_return std::string(buffer.data(), *answer);
        const auto written = co_await over->write("x");
        if (!written) co_return std::string("cut");
    }
}

async<std::string> say_nothing(destination to) {
    CO_TRY(auto over, co_await connect(std::move(to)));
    co_return co_await read_all(over.get());
}

TEST_CASE("a header that drips in is cut at its deadline, however steadily it drips") {
    auto allowed = quick_limits();
    allowed.header_time = 150ms;
    const server_fixture fixture({.allowed = allowed});

    const auto answer = run(drip({.address = fixture.plain(), .tls = nullptr})).value();

    CHECK(answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"));
    CHECK(fixture.running->metrics().deadlines_passed == 1);
}

TEST_CASE("a body that drips in is cut at its deadline") {
    auto allowed = quick_limits();
    allowed.body_time = 100ms;
    const server_fixture fixture({.allowed = allowed});

    const auto answer =
        talk(fixture, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc");

    CHECK(answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"));
}

TEST_CASE("a client that says nothing, not even hello, is hung up on") {
    auto allowed = quick_limits();
    allowed.first_byte_time = 50ms;
    allowed.handshake_time = 50ms;
    const server_fixture fixture({.allowed = allowed});

    CHECK(run(say_nothing({.address = fixture.plain(), .tls = nullptr})).value().empty());
    // A plain connection to the TLS port never shakes hands.
    CHECK(run(say_nothing({.address = fixture.address(), .tls = nullptr})).value().empty());
    CHECK(fixture.running->metrics().handshake_failures == 1);
}

// A handler that never answers, and whether it was ended.
struct silent_handler {
    std::atomic<bool> begun = false;
    std::atomic<bool> ended = false;

    async<response> wait(request /*asked*/) {
        struct ending {
            std::atomic<bool>& seen;
            ~ending() { seen = true; }
        } mark{ended};
        begun = true;
        ignore_error(co_await the_clock().sleep_for(24h), "cancelled");
        co_return text(200, "too late");
    }

    std::shared_ptr<router> routes() {
        auto result = usual_routes();
        const handler never = [this](request request) {
            return wait(std::move(request));
        };
        REQUIRE(result->add("GET", "/never", {.handle = never}).has_value());
        REQUIRE(result->add("POST", "/never", {.handle = never}).has_value());
        return result;
    }
};

TEST_CASE("a handler that never answers is ended, with 503 and an open connection") {
    silent_handler never;
    auto allowed = quick_limits();
    allowed.handler_time = 50ms;
    const server_fixture fixture({.allowed = allowed, .routes = never.routes()});

    const auto answers = talk(
        fixture,
        "GET /never HTTP/1.1\r\nHost: x\r\n\r\n"
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

    CHECK(answers.starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
    CHECK(answers.contains("retry-after: 1\r\n"));
    CHECK(occurrences(answers, "HTTP/1.1 200 OK") == 1);
    CHECK(never.ended);
    const auto& counted = fixture.running->metrics();
    CHECK(counted.handlers_timed_out == 1);
    CHECK(counted.responses_timed == 2);
    CHECK(std::chrono::nanoseconds(counted.response_nanoseconds) >= allowed.handler_time);
}

TEST_CASE("of a change that takes too long nobody is told that it was not made") {
    silent_handler never;
    auto allowed = quick_limits();
    allowed.handler_time = 50ms;
    const server_fixture fixture({.allowed = allowed, .routes = never.routes()});

    const auto answer = talk(fixture, "POST /never HTTP/1.0\r\nContent-Length: 0\r\n\r\n");

    CHECK(answer.starts_with("HTTP/1.1 504 Gateway Timeout\r\n"));
    CHECK_FALSE(answer.contains("retry-after"));
}

TEST_CASE("a handler that never answers does not outlive its server") {
    silent_handler never;
    {
        const server_fixture fixture({.routes = never.routes()});
        asio::io_context loop;
        asio::ip::tcp::socket asking(loop);
        asking.connect({asio::ip::address_v4::loopback(), fixture.plain().port});
        asio::write(asking, asio::buffer(std::string("GET /never HTTP/1.1\r\nHost: x\r\n\r\n")));
        harness::eventually("the handler runs", [&] {
            return fixture.running->metrics().connections_open == 1 && never.begun;
        });
    }

    CHECK(never.ended);
}

TEST_CASE("a connection that stays idle after an answer is closed") {
    auto allowed = quick_limits();
    allowed.idle_time = 50ms;
    const server_fixture fixture({.allowed = allowed});

    const auto answer = talk(fixture, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");

    CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
}

async<std::string> ask_for_much(destination to, std::string* observed) {
    CO_TRY(auto over, co_await connect(std::move(to)));
    CO_CHECK_OK(co_await over->write("GET /big HTTP/1.1\r\nHost: x\r\n\r\n"));
    ignore_error(co_await the_clock().sleep_for(400ms), "reads nothing meanwhile");
    auto all = co_await read_all(over.get());
    if (all) *observed = *all;
    co_return std::string();
}

TEST_CASE("a client that reads nothing does not hold its answer for ever") {
    auto allowed = quick_limits();
    allowed.write_stall_time = 50ms;
    const server_fixture fixture({.allowed = allowed});
    std::string observed;

    ignore_error(
        run(ask_for_much({.address = fixture.address(), .tls = client_tls()}, &observed)),
        "it is cut");

    CHECK(observed.size() < 4'000'000);
    CHECK(fixture.running->metrics().deadlines_passed == 1);
}

async<std::vector<std::unique_ptr<net::stream>>> open_connections(
    destination to, std::size_t count) {
    std::vector<std::unique_ptr<net::stream>> all;
    for (std::size_t each = 0; each < count; ++each) {
        CO_TRY(auto over, co_await connect(to));
        all.push_back(std::move(over));
    }
    co_return all;
}

async<std::size_t> refused_of(destination to, std::size_t count) {
    CO_TRY(auto all, co_await open_connections(std::move(to), count));
    std::size_t refused = 0;
    for (auto& each : all) {
        std::array<char, 1> byte{};
        const auto read = co_await within(the_clock(), 100ms, each->read_some(byte));
        const bool still_open = !read && read.error().code() == errc::timed_out;
        if (!still_open) ++refused;
    }
    co_return refused;
}

TEST_CASE("connections over the limit are refused and counted, by address and in all") {
    auto by_address = quick_limits();
    by_address.connections_per_address_max = 2;
    const server_fixture strict({.allowed = by_address});
    auto in_all = quick_limits();
    in_all.connections_max = 3;
    const server_fixture small({.allowed = in_all});

    CHECK(run(refused_of({.address = strict.plain(), .tls = nullptr}, 5)).value() == 3);
    CHECK(strict.running->metrics().refused_per_address == 3);
    const server_fixture behind_proxy(
        {.allowed = by_address, .proxies = {network::parse("127.0.0.0/8").value()}});
    CHECK(run(refused_of({.address = behind_proxy.plain(), .tls = nullptr}, 5)).value() == 0);
    CHECK(run(refused_of({.address = small.plain(), .tls = nullptr}, 5)).value() == 2);
    CHECK(small.running->metrics().refused_total == 2);
    // A place that was left can be taken again.
    harness::eventually("all gone", [&] { return small.running->metrics().connections_open == 0; });
    CHECK(run(refused_of({.address = small.plain(), .tls = nullptr}, 1)).value() == 0);
}

async<std::vector<std::string>> heard_by(destination to, std::size_t count) {
    CO_TRY(auto all, co_await open_connections(std::move(to), count));
    std::vector<std::string> message;
    for (auto& each : all) {
        std::array<char, 4096> buffer{};
        const auto read = co_await within(the_clock(), 100ms, each->read_some(buffer));
        message.emplace_back(buffer.data(), read ? *read : 0);
    }
    co_return message;
}

TEST_CASE("who comes over the limit is told so where that costs no handshake") {
    auto allowed = quick_limits();
    allowed.connections_max = 1;
    const server_fixture fixture({.allowed = allowed});

    const auto message = run(heard_by({.address = fixture.plain(), .tls = nullptr}, 2)).value();

    CHECK(message[0].empty());
    CHECK(message[1].starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
    CHECK(message[1].contains("retry-after: "));
}

async<std::vector<std::size_t>> spread(const server_fixture* fixture) {
    CO_TRY(
        const auto all,
        co_await open_connections({.address = fixture->address(), .tls = client_tls()}, 8));
    co_return fixture->running->connections_by_loop();
}

TEST_CASE("connections are spread evenly over the loops") {
    const server_fixture fixture({.loops = 2});

    CHECK(run(spread(&fixture)).value() == std::vector<std::size_t>{4, 4});
}

// A handler that answers when it is told to.
struct held_request {
    std::promise<void> arrived;
    std::atomic<bool> released = false;
};

async<response> hold(held_request* until, request) {
    until->arrived.set_value();
    while (!until->released) {
        CO_CHECK_OK(co_await the_clock().sleep_for(5ms));
    }
    co_return text(200, "finished");
}

std::shared_ptr<router> holding_routes(held_request* until) {
    auto routes = usual_routes();
    const route held{.handle = [until](request from) {
        return hold(until, std::move(from));
    }};
    REQUIRE(routes->add("GET", "/hold", held).has_value());
    return routes;
}

async<std::size_t> drained(const server_fixture* fixture, monotonic::duration timeout) {
    return fixture->running->drain(timeout);
}

TEST_CASE("a drain closes idle connections and lets running requests finish") {
    held_request running;
    const server_fixture fixture({.routes = holding_routes(&running)});
    auto idle = std::async(std::launch::async, [&] {
        return run(say_nothing({.address = fixture.address(), .tls = client_tls()}));
    });
    auto answer = std::async(
        std::launch::async, [&] { return talk(fixture, "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"); });
    running.arrived.get_future().wait();
    harness::eventually("both", [&] { return fixture.running->metrics().connections_open == 2; });

    auto drain = std::async(std::launch::async, [&] { return run(drained(&fixture, 10s)); });

    CHECK(idle.get().value().empty());
    CHECK_FALSE(harness::listening(fixture.address().port));
    running.released = true;
    CHECK(answer.get().ends_with("\r\n\r\nfinished"));
    CHECK(drain.get().value() == 0);
    CHECK(fixture.running->metrics().connections_open == 0);
}

TEST_CASE("a drain cuts what is not finished at its deadline") {
    held_request running;
    const server_fixture fixture({.routes = holding_routes(&running)});
    auto answer = std::async(
        std::launch::async, [&] { return talk(fixture, "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"); });
    running.arrived.get_future().wait();

    CHECK(run(drained(&fixture, 50ms)).value() == 1);

    CHECK(answer.get().empty());
    CHECK(fixture.running->metrics().connections_open == 0);
}

TEST_CASE("a server goes away at once with requests under way") {
    held_request running;
    std::future<result<std::string>> answer;
    {
        const server_fixture fixture({.routes = holding_routes(&running), .loops = 2});
        const destination to{.address = fixture.plain(), .tls = nullptr};
        answer = std::async(std::launch::async, [to] {
            return run(converse(to, "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"));
        });
        running.arrived.get_future().wait();
    }
    CHECK(answer.get().value_or("").empty());
}

}  // namespace
}  // namespace muster::net::http
