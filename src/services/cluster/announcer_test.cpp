#include "services/cluster/announcer.h"

#include "adapters/bus/memory/memory_bus.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <exception>
#include <string>

namespace muster::cluster {
namespace {

boost::asio::awaitable<void> hear(
    bus& doorbell, std::size_t count, std::vector<std::string>& told) {
    auto feed = co_await doorbell.subscribe("muster.>");
    REQUIRE(feed.has_value());
    for (std::size_t heard = 0; heard < count; ++heard) {
        const auto next = co_await (*feed)->next();
        REQUIRE(next.has_value());
        told.push_back(next->payload);
    }
}

TEST_CASE("what is announced before anybody runs is told in order, up to the limit") {
    runtime::system_clock time;
    memory_bus doorbell(time);
    runtime::logger log({});
    announcer ringing(doorbell, log);
    boost::asio::io_context loop;
    runtime::task_group tasks(loop.get_executor(), [](const std::string&, std::exception_ptr) {});
    std::vector<std::string> told;
    tasks.spawn("listener", hear(doorbell, announcer::waiting_max, told));
    loop.poll();

    for (std::size_t number = 0; number < announcer::waiting_max + 5; ++number)
        ringing.announce({.subject = "muster.audit.login", .payload = std::to_string(number)});
    CHECK(ringing.dropped() == 5);
    tasks.spawn("announcer", ringing.run());
    while (told.size() < announcer::waiting_max) loop.run_one();

    CHECK(told.front() == "0");
    CHECK(told.back() == std::to_string(announcer::waiting_max - 1));
    tasks.cancel();
    loop.run();
}

}  // namespace
}  // namespace muster::cluster
