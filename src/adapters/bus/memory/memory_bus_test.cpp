#include "adapters/bus/memory/memory_bus.h"

#include "ports/contract/bus_contract.h"
#include "tests/harness/real_event_loop.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace muster {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr std::size_t feed_max = 100;

class memory_bus_fixture final : public contract::bus_fixture {
public:
    contract::world& where() override { return world_; }
    std::shared_ptr<bus> open() override { return bus_; }
    std::size_t feed_messages_max() const override { return feed_max; }

private:
    harness::real_event_loop world_;
    std::shared_ptr<bus> bus_ = std::make_shared<memory_bus>(
        world_.clock(), memory_bus_options{.feed = {.messages_max = feed_max}});
};

TEST_CASE("the bus in memory keeps the contract") {
    memory_bus_fixture fixture;
    contract::check_bus_contract(fixture);
}

awaitable<void> close_with_a_delivery_out(memory_bus& bus) {
    const consumer_options options{.name = "jobs", .pattern = "jobs.>", .ack_wait = 1h};
    auto sent = co_await bus.publish({.subject = "jobs.web1", .payload = "patch", .id = {}});
    REQUIRE(sent);
    auto first = co_await bus.consume(options);
    REQUIRE(first);
    const auto out = co_await (*first)->fetch(1, 0ms);
    REQUIRE(out);
    REQUIRE(out->size() == 1);

    first->reset();
    auto second = co_await bus.consume(options);
    REQUIRE(second);
    const auto again = co_await (*second)->fetch(1, 0ms);

    REQUIRE(again);
    REQUIRE(again->size() == 1);
    CHECK((*again)[0].attempt == 2);
}

TEST_CASE("what a destroyed reader had out comes again at once") {
    harness::real_event_loop world;
    memory_bus bus(world.clock());

    world.run(close_with_a_delivery_out(bus));
}

awaitable<void> publish_from_here(memory_bus& bus, int thread, int messages) {
    for (int number = 0; number < messages; ++number) {
        stream::message message{
            .subject = "thread." + std::to_string(thread),
            .payload = std::to_string(number),
            .id = {}};
        const auto sent = co_await bus.publish(std::move(message));
        REQUIRE(sent);
    }
}

awaitable<void> read_everything(bus_consumer& reader, int messages) {
    int observed = 0;
    while (observed < messages) {
        const auto deliveries = co_await reader.fetch(100, 10s);
        REQUIRE(deliveries);
        REQUIRE(!deliveries->empty());
        std::vector<std::uint64_t> sequences;
        for (const auto& delivery : *deliveries) sequences.push_back(delivery.sequence);
        const auto done = co_await reader.acknowledge(sequences);
        REQUIRE(done);
        observed += static_cast<int>(sequences.size());
    }
    CHECK(observed == messages);
}

awaitable<void> open_into(memory_bus& bus, std::unique_ptr<bus_consumer>& reader) {
    auto opened = co_await bus.consume({.name = "all", .pattern = ">"});
    REQUIRE(opened);
    reader = std::move(*opened);
}

TEST_CASE("threads of their own may publish and read at the same time") {
    constexpr int threads = 3;
    constexpr int messages = 500;
    harness::real_event_loop world;
    memory_bus bus(world.clock());
    std::unique_ptr<bus_consumer> reader;
    world.run(open_into(bus, reader));

    std::vector<std::jthread> publishers;
    for (int thread = 0; thread < threads; ++thread) {
        publishers.emplace_back([&bus, thread] {
            harness::real_event_loop().run(publish_from_here(bus, thread, messages));
        });
    }
    world.run(read_everything(*reader, threads * messages));
}

}  // namespace
}  // namespace muster
