#include "adapters/bus/memory/memory_bus.h"
#include "ports/deadline.h"
#include "roles/presence/publisher.h"
#include "roles/presence/report_codec.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "tests/harness/real_world.h"

#include <boost/asio/this_coro.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace muster::presence {
namespace {

using namespace std::chrono_literals;

struct node_on_a_bus {
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    memory_bus doorbell{time};
    cluster::topology_cell topology;
    attendance here;
    publisher out{
        {.doorbell = doorbell,
         .time = time,
         .topology = topology,
         .attached = here,
         .log = log,
         .used =
             [] {
                 return publisher::usage{};
             }},
        {.node = "alpha", .start = [] { return std::uint64_t{1}; }, .change_interval = 5ms}};

    node_on_a_bus() {
        auto next = std::make_shared<cluster::topology>();
        next->nodes["alpha"] = {.number = node_number(3), .name = "alpha", .zone = "default"};
        next->node_names[node_number(3)] = "alpha";
        topology.publish(std::move(next));
    }

    void come(std::int64_t system, std::uint64_t number, std::uint64_t start) {
        const arrival who{.system = system_number(system), .since = seconds_of(time.wall())};
        here.arrive(who, {.loop = 0, .number = number}, start);
    }
};

async<std::string> next_of(node_on_a_bus* all, bus_subscription* heard) {
    CO_TRY(const auto told, co_await within(all->time, 10s, heard->next()));
    co_return boost::json::serialize(boost::json::parse(told.payload).at("systems"));
}

// A reconnect between two starts is not told: what is heard next is the second start.
async<void> hear_starts(node_on_a_bus* all, bus_subscription* heard) {
    all->come(8, 1, 1);
    CO_TRY(const auto first, co_await next_of(all, heard));
    CHECK(first == "[8]");
    all->come(8, 2, 1);
    all->come(9, 3, 5);
    CO_TRY(const auto second, co_await next_of(all, heard));
    CHECK(second == "[9]");
    all->come(8, 4, 2);
    CO_TRY(const auto third, co_await next_of(all, heard));
    CHECK(third == "[8]");
    co_return result<void>();
}

boost::asio::awaitable<void> listen(node_on_a_bus* all) {
    runtime::task_group tasks(
        co_await boost::asio::this_coro::executor,
        [](const std::string& task, std::exception_ptr) { FAIL("a task failed: " << task); });
    const auto heard = co_await all->doorbell.subscribe("muster.system.started");
    REQUIRE(heard.has_value());
    tasks.spawn("out", all->out.run());
    const auto end = co_await hear_starts(all, heard->get());
    CHECK(end.has_value());
    tasks.cancel();
    co_await tasks.join();
}

}  // namespace

TEST_CASE("ONB-32: that an agent was started is heard on the bus, a reconnect is not") {
    node_on_a_bus all;
    harness::real_world world;
    world.run(listen(&all));
}

}  // namespace muster::presence
