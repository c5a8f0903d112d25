#include "adapters/bus/nats/nats_client.h"

#include "adapters/bus/nats/connection.h"
#include "adapters/bus/nats/jetstream.h"
#include "ports/contract/run_concurrently.h"
#include "tests/harness/faulty_tcp_proxy.h"
#include "tests/harness/free_port.h"
#include "tests/harness/nats_cluster.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/run_sync.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::nats {
namespace {

using boost::asio::awaitable;
using harness::run_sync;
using namespace std::chrono_literals;

options reaching(std::uint16_t port) {
    return {.servers = {"nats://127.0.0.1:" + std::to_string(port)}};
}

outgoing_message to(std::string subject, std::size_t payload_bytes = 1) {
    return {
        .subject = std::move(subject),
        .payload = std::string(payload_bytes, 'x'),
        .message_id = {}};
}

void wait_until_up(const nats_client& nats_client) {
    harness::eventually("the link is up", [&nats_client] { return nats_client.is_connected(); });
}

// Hears all that reaches a server under a pattern, over a link of its own.
class witness {
public:
    witness(std::uint16_t port, std::string pattern) : client_(reaching(port)) {
        client_.listen(std::move(pattern), heard_);
        REQUIRE(run_sync(client_.round_trip(10s)));
    }

    std::vector<std::string> heard() {
        REQUIRE(run_sync(client_.round_trip(10s)));
        const std::scoped_lock lock(heard_->mutex);
        return heard_->subjects;
    }

private:
    struct notes final : subject_listener {
        void received(incoming_message message) override {
            const std::scoped_lock lock(mutex);
            subjects.push_back(std::move(message.subject));
        }
        std::mutex mutex;
        std::vector<std::string> subjects;
    };

    const std::shared_ptr<notes> heard_ = std::make_shared<notes>();
    nats_client client_;
};

awaitable<void> ask_in_vain(nats_client& client, int& unavailable) {
    const auto answer = co_await client.request(to("jobs.late", 10'000), 20ms);
    if (!answer && answer.error().code() == errc::unavailable) ++unavailable;
}

awaitable<void> ask_many_in_vain(nats_client& client, int times, int& unavailable) {
    std::vector<awaitable<void>> requests;
    for (int n = 0; n < times; ++n) requests.push_back(ask_in_vain(client, unavailable));
    co_await contract::run_concurrently(std::move(requests));
}

TEST_CASE("what nobody waits for any more leaves nothing behind in an outage and is never sent") {
    const harness::nats_cluster servers;
    witness server_side(servers.port(0), "jobs.>");
    harness::faulty_tcp_proxy way(servers.port(0));
    auto how = reaching(way.port());
    way.cut();
    how.in_flight_max = 100;
    how.in_flight_bytes_max = 2'000'000;
    nats_client client(how);

    for (int wave = 0; wave < 10; ++wave) {
        int unavailable = 0;
        harness::real_event_loop().run(ask_many_in_vain(client, 100, unavailable));
        CHECK(unavailable == 100);
        CHECK(client.unsent() == outbox::queue_load{});
    }
    REQUIRE(client.send(to("jobs.waiting")));
    way.heal();
    wait_until_up(client);

    CHECK(run_sync(client.round_trip(10s)));
    CHECK(server_side.heard() == std::vector<std::string>{"jobs.waiting"});
    CHECK(client.limits()->read().refused == 0);
}

TEST_CASE("more messages than may wait for a connection are refused as unavailable, and counted") {
    auto how = reaching(harness::free_port());
    SUBCASE("by their number") {
        how.unsent_max = 2;
    }
    SUBCASE("by their size") {
        how.unsent_bytes_max = 250;
    }
    nats_client narrow(how);
    CHECK(narrow.send(to("jobs.web1", 100)));
    CHECK(narrow.send(to("jobs.web2", 100)));
    const auto refused = narrow.send(to("jobs.web3", 100));

    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == errc::unavailable);
    CHECK(narrow.limits()->read().refused == 1);
    CHECK(narrow.unsent().messages == 2);
}

TEST_CASE("acknowledgements of which some cannot wait for a connection are not confirmed") {
    auto how = reaching(harness::free_port());
    how.unsent_max = 1;
    nats_client client(how);
    jetstream api(client, how);

    const auto noted = run_sync(api.acknowledge({"$JS.ACK.1", "$JS.ACK.2", "$JS.ACK.3"}));

    REQUIRE_FALSE(noted);
    CHECK(noted.error().detail() == "nats: send queue is full");
}

struct close_listener final : connection_listener {
    void connected() override {}
    void disconnected() override {}
    void closed(std::string) override { told.set_value(); }

    std::promise<void> told;
};

TEST_CASE("a connection that is down takes nothing to send later") {
    const harness::nats_cluster servers;
    witness server_side(servers.port(0), "jobs.>");
    harness::faulty_tcp_proxy way(servers.port(0));
    const auto result = connection::open(reaching(way.port()), std::make_shared<close_listener>());
    REQUIRE(result);
    auto& client = **result;

    way.cut();
    harness::eventually("the connection is down", [&client] { return !client.is_connected(); });
    const auto refused = client.publish(to("jobs.late"), {});
    way.heal();
    harness::eventually("it is up again", [&client] { return client.is_connected(); });
    REQUIRE(client.publish(to("jobs.now"), {}));

    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == errc::unavailable);
    harness::eventually("the server heard us", [&] { return !server_side.heard().empty(); });
    CHECK(server_side.heard() == std::vector<std::string>{"jobs.now"});
}

// libnats tells all events of a program on one thread: closing a connection with this one waiting
// holds up the events of every other.
class held_up_events {
public:
    explicit held_up_events(std::uint16_t port) {
        auto result = connection::open(reaching(port), listener_);
        REQUIRE(result);
        result->reset();
        listener_->held.get_future().wait();
    }
    held_up_events(const held_up_events&) = delete;
    held_up_events& operator=(const held_up_events&) = delete;
    ~held_up_events() { release(); }

    void release() {
        if (!std::exchange(free_, true)) listener_->released.set_value();
    }

private:
    struct listener final : connection_listener {
        void connected() override {}
        void disconnected() override {}
        void closed(std::string) override {
            held.set_value();
            released.get_future().wait();
        }

        std::promise<void> held;
        std::promise<void> released;
    };

    const std::shared_ptr<listener> listener_ = std::make_shared<listener>();
    bool free_ = false;
};

void wait_until_events_are_told(std::uint16_t port) {
    const auto listener = std::make_shared<close_listener>();
    auto result = connection::open(reaching(port), listener);
    REQUIRE(result);
    result->reset();
    listener->told.get_future().wait();
}

TEST_CASE("an event that is told after the link is gone touches nothing of it") {
    const harness::nats_cluster servers;
    alignas(nats_client) std::array<std::byte, sizeof(nats_client)> place{};
    held_up_events events(servers.port(0));
    auto* const client = new (place.data()) nats_client(reaching(servers.port(0)));
    wait_until_up(*client);

    client->~nats_client();
    place.fill(std::byte{0});
    events.release();
    wait_until_events_are_told(servers.port(0));

    CHECK(std::ranges::all_of(place, [](std::byte value) { return value == std::byte{0}; }));
}

// Takes one connection and never says a word, as NATS would.
class silent_server {
public:
    silent_server() : port_(harness::free_port()) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port_);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(
            ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
        REQUIRE(::listen(listener_, 8) == 0);
    }
    silent_server(const silent_server&) = delete;
    silent_server& operator=(const silent_server&) = delete;
    ~silent_server() {
        ::close(client_);
        ::close(listener_);
    }

    std::uint16_t port() const { return port_; }
    void take_one() { client_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); }

    bool client_waits() const {
        char byte = 0;
        return ::recv(client_, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
    }

private:
    std::uint16_t port_;
    int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int client_ = -1;
};

TEST_CASE("a request is answered in time while the link waits for a server that says nothing") {
    silent_server mute;
    nats_client client(reaching(mute.port()));
    mute.take_one();

    const auto answer = run_sync(client.request(to("jobs.web1"), 50ms));

    CHECK(mute.client_waits());
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code() == errc::unavailable);
    CHECK(client.unsent() == outbox::queue_load{});
}

}  // namespace
}  // namespace muster::nats
