#include "services/cluster/bus_publisher.h"

#include "adapters/bus/memory/memory_bus.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "tests/harness/run_sync.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <exception>
#include <string>
#include <vector>

namespace muster::cluster {
namespace {

boost::asio::awaitable<void> hear(
    bus& bus, std::size_t count, std::vector<std::string>& responses) {
    auto feed = co_await bus.subscribe("muster.>");
    REQUIRE(feed.has_value());
    for (std::size_t heard = 0; heard < count; ++heard) {
        const auto next = co_await (*feed)->next();
        REQUIRE(next.has_value());
        responses.push_back(next->payload);
    }
}

TEST_CASE("what is announced before anybody runs is told in order, up to the limit") {
    runtime::system_clock clock;
    memory_bus bus(clock);
    runtime::logger log({});
    bus_publisher ringing(bus, log);
    boost::asio::io_context loop;
    runtime::task_group tasks(loop.get_executor(), [](const std::string&, std::exception_ptr) {});
    std::vector<std::string> responses;
    tasks.spawn("listener", hear(bus, bus_publisher::queued_max, responses));
    loop.poll();

    for (std::size_t number = 0; number < bus_publisher::queued_max + 5; ++number)
        ringing.publish({.subject = "muster.audit.login", .payload = std::to_string(number)});
    CHECK(ringing.dropped() == 5);
    tasks.spawn("announcer", ringing.run());
    while (responses.size() < bus_publisher::queued_max) loop.run_one();

    CHECK(responses.front() == "0");
    CHECK(responses.back() == std::to_string(bus_publisher::queued_max - 1));
    tasks.cancel();
    loop.run();
}

TEST_CASE("flush publishes what is queued when the loop does not run") {
    runtime::system_clock clock;
    memory_bus bus(clock);
    runtime::logger log({});
    bus_publisher publisher(bus, log);
    boost::asio::io_context loop;
    runtime::task_group tasks(loop.get_executor(), [](const std::string&, std::exception_ptr) {});
    std::vector<std::string> responses;
    tasks.spawn("listener", hear(bus, 2, responses));
    loop.poll();

    publisher.publish({.subject = "muster.node.web", .payload = "offline"});
    publisher.publish({.subject = "muster.node.web", .payload = "gone"});
    harness::run_sync(publisher.flush()).value();
    loop.run();

    CHECK(responses == std::vector<std::string>{"offline", "gone"});
    CHECK(publisher.dropped() == 0);
}

}  // namespace
}  // namespace muster::cluster
