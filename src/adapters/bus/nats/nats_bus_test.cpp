#include "adapters/bus/nats/nats_bus.h"

#include "ports/contract/bus_contract.h"
#include "tests/harness/faulty_tcp_proxy.h"
#include "tests/harness/nats_cluster.h"
#include "tests/harness/real_event_loop.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace muster {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr std::size_t feed_max = 100;
constexpr auto stream_name = "CONTRACT";

// Real servers behind links that can be cut. Starting a cluster takes seconds, so one serves all
// scenarios of a test program.
class nats_fixture final : public contract::bus_fixture {
public:
    explicit nats_fixture(std::size_t servers) : servers_({.servers = servers}) {
        for (std::size_t member = 0; member < servers; ++member)
            links_.push_back(std::make_unique<harness::faulty_tcp_proxy>(servers_.port(member)));
    }

    contract::world& where() override { return world_; }
    std::size_t feed_messages_max() const override { return feed_max; }

    std::shared_ptr<bus> open() override {
        nats::options options{
            .stream = stream_name,
            .prefix = stream_name,
            .replicas = static_cast<int>(servers_.size()),
            .timeout = 2s,
            .feed = {.messages_max = feed_max}};
        for (const auto& nats_client : links_)
            options.servers.push_back("nats://127.0.0.1:" + std::to_string(nats_client->port()));
        auto opened = nats_bus::open(std::move(options));
        REQUIRE(opened);
        return std::move(*opened);
    }

    bool can(contract::bus_fault fault) const override {
        return fault != contract::bus_fault::leader_change || servers_.size() > 1;
    }

    awaitable<void> kill_engine() override {
        for (std::size_t member = 0; member < servers_.size(); ++member) servers_.kill(member);
        co_return;
    }

    awaitable<void> restart_engine() override {
        for (std::size_t member = 0; member < servers_.size(); ++member) servers_.launch(member);
        co_await harness::beside_the_loop([this] { servers_.wait_until_ready(); });
    }

    awaitable<void> cut_link() override {
        for (const auto& nats_client : links_) nats_client->cut();
        co_return;
    }

    awaitable<void> heal_link() override {
        for (const auto& nats_client : links_) nats_client->heal();
        co_return;
    }

    awaitable<void> change_leader() override {
        std::size_t old = 0;
        co_await harness::beside_the_loop([&] {
            old = servers_.leader_of(stream_name).value();
            servers_.kill(old);
            harness::eventually("another leader", [this, old] {
                const auto next = servers_.leader_of(stream_name);
                return next && next != old;
            });
        });
        servers_.launch(old);  // here: a process dies with the thread that started it
        co_await harness::beside_the_loop([this] { servers_.wait_until_ready(); });
    }

private:
    harness::real_event_loop world_;
    harness::nats_cluster servers_;
    std::vector<std::unique_ptr<harness::faulty_tcp_proxy>> links_;
};

TEST_CASE("the bus on a single NATS server keeps the contract") {
    static nats_fixture fixture(1);
    contract::check_bus_contract(fixture);
}

TEST_CASE("the bus on a cluster of three NATS servers keeps the contract") {
    static nats_fixture fixture(3);
    contract::check_bus_contract(fixture);
}

}  // namespace
}  // namespace muster
