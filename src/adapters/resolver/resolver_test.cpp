#include "adapters/resolver/resolver.h"

#include "ports/deadline.h"
#include "runtime/clock.h"
#include "tests/harness/run_sync.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>

namespace muster::resolver {
namespace {

namespace asio = boost::asio;
using asio::ip::udp;
using harness::run_sync;
using namespace std::chrono_literals;

// A DNS server on loopback that knows 192.0.2.7 and 2001:db8::7 for every name, or says nothing.
class name_server {
public:
    enum class mood { answers, silent };

    explicit name_server(mood mood)
        : options_(mood), socket_(loop_, {asio::ip::address_v4::loopback(), 0}) {
        receive();
        thread_ = std::thread([this] { loop_.run(); });
    }
    name_server(const name_server&) = delete;
    name_server& operator=(const name_server&) = delete;
    ~name_server() {
        loop_.stop();
        thread_.join();
    }

    std::string address() const {
        return "127.0.0.1:" + std::to_string(socket_.local_endpoint().port());
    }
    int asked() const { return asked_; }

private:
    void receive() {
        socket_.async_receive_from(
            asio::buffer(in_), from_, [this](boost::system::error_code failed, std::size_t size) {
                if (failed) return;
                ++asked_;
                if (options_ == mood::answers) answer(std::string(in_.data(), size));
                receive();
            });
    }

    void answer(std::string query) {
        constexpr std::size_t header_size = 12;
        const std::size_t name_end = query.find('\0', header_size) + 1;
        const bool v6 = query.at(name_end + 1) == 28;  // AAAA
        std::string reply = query.substr(0, name_end + 4);
        reply[2] = '\x81';  // an answer
        reply[3] = '\x80';
        reply.replace(6, 6, std::string("\0\1\0\0\0\0", 6));
        reply +=
            std::string("\xc0\x0c\0", 3) + (v6 ? '\x1c' : '\1') + std::string("\0\1\0\0\0\x3c", 6);
        reply += v6 ? std::string("\0\x10\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\7", 18)
                    : std::string("\0\4\xc0\0\2\7", 6);
        boost::system::error_code ignored;
        socket_.send_to(asio::buffer(reply), from_, 0, ignored);
    }

    mood options_;
    asio::io_context loop_;
    udp::socket socket_;
    udp::endpoint from_;
    std::array<char, 512> in_{};
    std::atomic<int> asked_ = 0;
    std::thread thread_;
};

std::vector<std::string> texts_of(const addresses& all) {
    std::vector<std::string> texts;
    for (const auto& each : all) texts.push_back(each.address().to_string());
    std::ranges::sort(texts);
    return texts;
}

TEST_CASE("an address is its own answer, and localhost is this machine") {
    const auto literal = run_sync(resolve({.host = "::1", .port = 8443})).value();
    CHECK(texts_of(literal) == std::vector<std::string>{"::1"});
    CHECK(literal.front().port() == 8443);

    const auto local = run_sync(resolve({.host = "localhost", .port = 1})).value();
    CHECK(
        std::ranges::all_of(local, [](const auto& each) { return each.address().is_loopback(); }));
}

// The first name of the hosts file that is neither an address nor localhost.
std::string name_in_hosts_file() {
    std::ifstream hosts("/etc/hosts");
    for (std::string address, name; hosts >> address >> name;) {
        if (!address.starts_with('#') && name != "localhost") return name;
        hosts.ignore(4096, '\n');
    }
    return {};
}

TEST_CASE("names of the hosts file are found without asking a server") {
    const name_server silent(name_server::mood::silent);
    const auto name = name_in_hosts_file();
    if (name.empty()) {
        MESSAGE("SKIPPED: the hosts file has no name but localhost");
        return;
    }

    const auto match = run_sync(resolve({.host = name, .servers = silent.address()}));

    CHECK(match.has_value());
}

TEST_CASE("a name server is asked for both families") {
    const name_server server(name_server::mood::answers);

    const auto match = run_sync(
        resolve({.host = "node1.acme.example", .port = 8443, .servers = server.address()}));

    CHECK(texts_of(match.value()) == std::vector<std::string>{"192.0.2.7", "2001:db8::7"});
    CHECK(match->front().port() == 8443);
    CHECK(server.asked() == 2);
}

async<addresses> asked_for_a_moment(query query) {
    runtime::system_clock clock;
    co_return co_await within(clock, 50ms, resolve(std::move(query)));
}

TEST_CASE("a lookup that nobody answers can be given up at once") {
    const name_server server(name_server::mood::silent);

    const auto match =
        run_sync(asked_for_a_moment({.host = "node1.acme.example", .servers = server.address()}));

    CHECK(match.error().code() == errc::timed_out);
}

TEST_CASE("a list of servers that is none is refused") {
    const auto match = run_sync(resolve({.host = "node1.acme.example", .servers = "what?"}));

    CHECK(match.error().code() == errc::invalid);
}

}  // namespace
}  // namespace muster::resolver
