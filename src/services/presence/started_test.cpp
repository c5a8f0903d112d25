#include "adapters/bus/memory/memory_bus.h"
#include "ports/deadline.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "services/presence/publisher.h"
#include "services/presence/report_codec.h"
#include "tests/fixtures/presence/fixed_start.h"
#include "tests/harness/real_event_loop.h"

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

// One that takes nothing for a while.
class moody_bus final : public bus {
public:
    explicit moody_bus(muster::clock& clock) : real_(clock) {}

    int refuses = 0;  // so many messages

    async<void> publish(stream::message message) override {
        if (refuses > 0) {
            --refuses;
            co_return fail(errc::unavailable, "not now");
        }
        co_return co_await real_.publish(std::move(message));
    }
    async<std::unique_ptr<bus_subscription>> subscribe(std::string pattern) override {
        return real_.subscribe(std::move(pattern));
    }
    async<std::unique_ptr<bus_consumer>> consume(consumer_options options) override {
        return real_.consume(std::move(options));
    }
    async<void> delete_consumer(std::string name) override {
        return real_.delete_consumer(std::move(name));
    }
    async<void> ping() override { return real_.ping(); }

private:
    memory_bus real_;
};

struct node_on_a_bus {
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    moody_bus bus{clock};
    cluster::topology_cache topology;
    attached_agents here;
    test::fixed_start started{1};
    publisher out{
        {.bus = bus,
         .clock = clock,
         .topology = topology,
         .attached = here,
         .log = log,
         .start = started},
        {.node = "alpha", .change_interval = 5ms}};

    node_on_a_bus() {
        auto next = std::make_shared<cluster::topology>();
        next->nodes["alpha"] = {.number = node_number(3), .name = "alpha", .zone = "default"};
        next->node_names[node_number(3)] = "alpha";
        topology.publish(std::move(next));
    }

    void come(std::int64_t system, std::uint64_t number, std::uint64_t start) {
        const attach_event arrival{
            .system = system_number(system), .since = to_seconds(clock.wall())};
        here.attach(arrival, {.loop = 0, .number = number}, start);
    }
};

async<std::string> next_of(node_on_a_bus* all, bus_subscription* bus_subscription) {
    CO_TRY(const auto response, co_await within(all->clock, 10s, bus_subscription->next()));
    co_return boost::json::serialize(boost::json::parse(response.payload).at("systems"));
}

// A reconnect between two starts is not told: what is heard next is the second start.
async<void> hear_starts(node_on_a_bus* all, bus_subscription* bus_subscription) {
    all->come(8, 1, 1);
    CO_TRY(const auto first, co_await next_of(all, bus_subscription));
    CHECK(first == "[8]");
    all->come(8, 2, 1);
    all->come(9, 3, 5);
    CO_TRY(const auto second, co_await next_of(all, bus_subscription));
    CHECK(second == "[9]");
    all->come(8, 4, 2);
    CO_TRY(const auto third, co_await next_of(all, bus_subscription));
    CHECK(third == "[8]");
    co_return result<void>();
}

async<report> next_report(node_on_a_bus* all, bus_subscription* bus_subscription) {
    CO_TRY(const auto response, co_await within(all->clock, 10s, bus_subscription->next()));
    co_return decode_report(response.payload);
}

// The bus fails when a system starts and another goes; both are heard when it is well again.
async<void> hear_late(node_on_a_bus* all) {
    CO_TRY(const auto starts, co_await all->bus.subscribe("muster.system.started"));
    CO_TRY(const auto reports, co_await all->bus.subscribe("muster.presence.>"));
    report next;
    all->come(7, 1, 1);
    while (next.attach_events.empty()) {
        CO_TRY(next, co_await next_report(all, reports.get()));
    }
    CO_TRY(const auto before, co_await next_of(all, starts.get()));
    CHECK(before == "[7]");

    all->bus.refuses = 2;
    all->come(8, 2, 1);
    const detach_event gone{
        .system = system_number(7), .why = session::reason::silent, .at = 1'000};
    all->here.detach(gone, {.loop = 0, .number = 1});
    while (next.detach_events.empty()) {
        CO_TRY(next, co_await next_report(all, reports.get()));
    }
    CO_TRY(const auto late, co_await next_of(all, starts.get()));

    CHECK(all->bus.refuses == 0);
    CHECK(next.complete_range.has_value());
    CHECK(next.detach_events == std::vector{gone});
    CHECK(late == "[8]");
    co_return result<void>();
}

boost::asio::awaitable<void> listen_late(node_on_a_bus* all) {
    runtime::task_group tasks(
        co_await boost::asio::this_coro::executor,
        [](const std::string& task, std::exception_ptr) { FAIL("a task failed: " << task); });
    tasks.spawn("out", all->out.run());
    const auto end = co_await hear_late(all);
    CHECK(end.has_value());
    tasks.cancel();
    co_await tasks.join();
}

boost::asio::awaitable<void> listen(node_on_a_bus* all) {
    runtime::task_group tasks(
        co_await boost::asio::this_coro::executor,
        [](const std::string& task, std::exception_ptr) { FAIL("a task failed: " << task); });
    const auto message = co_await all->bus.subscribe("muster.system.started");
    REQUIRE(message.has_value());
    tasks.spawn("out", all->out.run());
    const auto end = co_await hear_starts(all, message->get());
    CHECK(end.has_value());
    tasks.cancel();
    co_await tasks.join();
}

}  // namespace

TEST_CASE("that an agent was started is heard on the bus, a reconnect is not") {
    node_on_a_bus all;
    harness::real_event_loop world;
    world.run(listen(&all));
}

TEST_CASE("why a system went and that one was started is told when the bus is well again") {
    node_on_a_bus all;
    harness::real_event_loop world;
    world.run(listen_late(&all));
}

}  // namespace muster::presence
