#include "tests/harness/faulty_tcp_proxy.h"

#include "runtime/clock.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <poll.h>
#include <string>
#include <string_view>

namespace muster::harness {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

constexpr int moment_ms = 50;

// Both ends of one connection through the link, played by the test itself.
struct both_ends {
    asio::io_context loop;
    tcp::acceptor target{loop, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
    faulty_tcp_proxy link{target.local_endpoint().port()};
    tcp::socket near{loop};
    tcp::socket far{loop};

    void connect() {
        near.connect(tcp::endpoint(asio::ip::address_v4::loopback(), link.port()));
        target.accept(far);
    }
};

void say(tcp::socket& to, std::string_view text) {
    asio::write(to, asio::buffer(text));
}

std::string hear(tcp::socket& from, std::size_t size) {
    std::string message(size, ' ');
    asio::read(from, asio::buffer(message));
    return message;
}

bool silent(tcp::socket& from) {
    pollfd wait{.fd = from.native_handle(), .events = POLLIN, .revents = 0};
    return ::poll(&wait, 1, moment_ms) == 0;
}

bool broken(tcp::socket& from) {
    boost::system::error_code failure;
    char byte = 0;
    from.read_some(asio::buffer(&byte, 1), failure);
    return failure.failed();
}

TEST_CASE("a whole link carries both ways, and the end of one side") {
    both_ends ends;
    ends.connect();

    say(ends.near, "question");
    CHECK(hear(ends.far, 8) == "question");
    say(ends.far, "answer");
    CHECK(hear(ends.near, 6) == "answer");
    ends.near.shutdown(tcp::socket::shutdown_send);
    CHECK(broken(ends.far));
}

TEST_CASE("a cut link resets what is open and what is new until it heals") {
    both_ends ends;
    ends.connect();

    ends.link.cut();
    CHECK(broken(ends.near));
    CHECK(broken(ends.far));
    tcp::socket new_client(ends.loop);
    new_client.connect(tcp::endpoint(asio::ip::address_v4::loopback(), ends.link.port()));
    CHECK(broken(new_client));

    ends.link.heal();
    ends.near = tcp::socket(ends.loop);
    ends.far = tcp::socket(ends.loop);
    ends.connect();
    say(ends.near, "again");
    CHECK(hear(ends.far, 5) == "again");
}

TEST_CASE("a stalled link says nothing, and delivers late when it heals") {
    both_ends ends;
    ends.connect();

    ends.link.stall();
    say(ends.near, "question");
    CHECK(silent(ends.far));

    ends.link.heal();
    CHECK(hear(ends.far, 8) == "question");
}

TEST_CASE("a slow link carries everything, but not before its time") {
    both_ends ends;
    ends.connect();

    ends.link.slow(100'000);
    const runtime::system_clock clock;
    const auto start = clock.now();
    say(ends.near, std::string(20'000, 'q'));
    CHECK(hear(ends.far, 20'000) == std::string(20'000, 'q'));
    CHECK(clock.now() - start >= std::chrono::milliseconds(150));
}

TEST_CASE("a link with stalled answers still carries the questions") {
    both_ends ends;
    ends.connect();

    ends.link.stall_answers();
    say(ends.near, "question");
    CHECK(hear(ends.far, 8) == "question");
    say(ends.far, "answer");
    CHECK(silent(ends.near));

    ends.link.heal();
    CHECK(hear(ends.near, 6) == "answer");
}

TEST_CASE(
    "a link that watches for a request carries it and everything before, but no answer to it") {
    both_ends ends;
    ends.connect();

    ends.link.stall_answers_after("the last");
    say(ends.near, "question");
    CHECK(hear(ends.far, 8) == "question");
    say(ends.far, "answer");
    CHECK(hear(ends.near, 6) == "answer");
    CHECK_FALSE(ends.link.answers_are_stalled());

    say(ends.near, "this is the last question");
    CHECK(hear(ends.far, 25) == "this is the last question");
    say(ends.far, "lost");
    CHECK(silent(ends.near));
    CHECK(ends.link.answers_are_stalled());
    ends.link.cut();
    CHECK(broken(ends.near));
}

}  // namespace
}  // namespace muster::harness
