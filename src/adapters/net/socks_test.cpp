#include "adapters/net/socks.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>

namespace muster::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::string_literals;

// What a proxy says, and how much it hears before each of the two.
struct script {
    std::string to_greeting = "\x05\x00"s;
    std::size_t request_bytes = 10;
    std::string to_request = "\x05\x00\x00\x01\x7f\x00\x00\x01\x1f\x90"s;
};

struct outcome {
    std::string heard;
    std::optional<result<void>> passed;
};

asio::awaitable<void> play(tcp::acceptor& at, script script, outcome& out) {
    auto with = co_await at.async_accept(asio::use_awaitable);
    const auto hear = [&](std::size_t size) -> asio::awaitable<void> {
        std::string bytes(size, '\0');
        co_await asio::async_read(with, asio::buffer(bytes), asio::as_tuple(asio::use_awaitable));
        out.heard += bytes;
    };
    co_await hear(3);
    co_await asio::async_write(with, asio::buffer(script.to_greeting), asio::use_awaitable);
    if (script.to_request.empty()) co_return;
    co_await hear(script.request_bytes);
    co_await asio::async_write(with, asio::buffer(script.to_request), asio::use_awaitable);
}

asio::awaitable<void> ask(tcp::endpoint proxy, endpoint where, outcome& out) {
    tcp::socket through(co_await asio::this_coro::executor);
    co_await through.async_connect(proxy, asio::use_awaitable);
    out.passed = co_await connect_through_proxy(through, std::move(where));
}

outcome pass(endpoint where, script script) {
    asio::io_context loop;
    tcp::acceptor at(loop, {asio::ip::address_v4::loopback(), 0});
    outcome out;
    asio::co_spawn(loop, play(at, std::move(script), out), [](const std::exception_ptr&) {});
    asio::co_spawn(
        loop, ask(at.local_endpoint(), std::move(where), out), [](const std::exception_ptr&) {});
    loop.run();
    REQUIRE(out.passed);
    return out;
}

TEST_CASE("a name is told to the proxy as it is, with its port") {
    const auto out = pass({.host = "m.acme.org", .port = 8443}, {.request_bytes = 17});

    CHECK(out.passed->has_value());
    CHECK(out.heard == "\x05\x01\x00"s + "\x05\x01\x00\x03\x0am.acme.org\x20\xfb"s);
}

TEST_CASE("an address is told to the proxy as its bytes") {
    const auto fourth = pass({.host = "192.0.2.7", .port = 443}, {});
    const auto sixth = pass({.host = "2001:db8::7", .port = 443}, {.request_bytes = 22});

    CHECK(fourth.passed->has_value());
    CHECK(fourth.heard.substr(3) == "\x05\x01\x00\x01\xc0\x00\x02\x07\x01\xbb"s);
    CHECK(sixth.passed->has_value());
    CHECK(sixth.heard.substr(3, 8) == "\x05\x01\x00\x04\x20\x01\x0d\xb8"s);
}

TEST_CASE("an answer with a name in it is read to its end") {
    const script named{.to_request = "\x05\x00\x00\x03\x02hi\x00\x01"s};

    CHECK(pass({.host = "192.0.2.7", .port = 443}, named).passed->has_value());
}

TEST_CASE("what a proxy refuses is said with its reason") {
    const script refusing{.to_request = "\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00"s};

    const auto out = pass({.host = "192.0.2.7", .port = 443}, refusing);

    CHECK(out.passed->error().code() == errc::unavailable);
    CHECK(out.passed->error().detail().contains("refused"));
}

TEST_CASE("who is no such proxy, wants a password or hangs up is not believed") {
    const endpoint where{.host = "192.0.2.7", .port = 443};

    CHECK(pass(where, {.to_greeting = "HT"}).passed->error().code() == errc::invalid);
    CHECK(
        pass(where, {.to_greeting = "\x05\x02"s, .to_request = ""}).passed->error().code()
        == errc::denied);
    CHECK(pass(where, {.to_request = ""}).passed->error().code() == errc::unavailable);
    CHECK(pass(where, {.to_request = "\x05\x00\x00\x09"s}).passed->error().code() == errc::invalid);
}

TEST_CASE("a name that does not fit into a request is refused before anything is sent") {
    const auto out = pass({.host = std::string(256, 'a'), .port = 443}, {});

    CHECK(out.passed->error().code() == errc::invalid);
}

}  // namespace
}  // namespace muster::net
