#include "ports/deadline.h"
#include "sim/cluster.h"
#include "sim/contract_world.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace muster::sim {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

process_options named(std::string name) {
    return {.name = std::move(name), .clock = {}, .disk = {}};
}

asio::awaitable<void> tick(muster::clock& clock, std::vector<instant>& ticks) {
    while (true) {
        CHECK((co_await clock.sleep_for(1s)).has_value());
        ticks.push_back(clock.now());
    }
}

async<int> never() {
    co_return co_await await_callback<int>([](completion<int> done) {
        static_cast<void>(done);  // dropped: the coroutine is destroyed, not resumed
    });
}

async<int> answer_after(muster::clock& clock, monotonic::duration span) {
    CO_CHECK_OK(co_await clock.sleep_for(span));
    co_return 42;
}

asio::awaitable<void> record_deadlines(
    muster::clock& clock, std::vector<errc>& failures, int& answer) {
    const auto late = co_await within(clock, 1s, answer_after(clock, 2s));
    if (!late) failures.push_back(late.error().code());
    const auto punctual = co_await within(clock, 2s, answer_after(clock, 1s));
    if (punctual) answer = *punctual;
}

struct witness {
    int& destroyed;
    explicit witness(int& count) : destroyed(count) {}
    witness(const witness&) = delete;
    witness& operator=(const witness&) = delete;
    ~witness() { ++destroyed; }
};

asio::awaitable<void> sleep_with(muster::clock& clock, std::unique_ptr<witness> held, bool& woke) {
    ignore_error(co_await clock.sleep_for(1h), "the process dies before");
    woke = true;
    held.reset();
}

asio::awaitable<void> race_with(muster::clock& clock, std::unique_ptr<witness> held) {
    ignore_error(co_await within(clock, 1h, answer_after(clock, 2h)), "the process dies before");
    held.reset();
}

asio::awaitable<void> chatter(process& self, network& net, address me, address peer) {
    prng& random = self.simulation().random("chatter of " + self.name());
    while (true) {
        const auto pause = std::chrono::milliseconds(1 + random.below(50));
        ignore_error(co_await self.clock().sleep_for(pause), "never cancelled");
        net.send(me, peer, std::to_string(random.next()));
    }
}

std::uint64_t hash_of_run(std::uint64_t seed) {
    sim::cluster cluster(
        seed, {.loss_per_mille = 50, .duplicate_per_mille = 50, .reorder_per_mille = 50});
    for (const std::string name : {"web1", "web2"}) {
        const std::string peer = name == "web1" ? "web2" : "web1";
        cluster.add(named(name), [&cluster, name, peer](process& self) {
            const address me = cluster.address_of(name);
            cluster.network.listen(me, self.current_life(), [](address, const std::string&) {});
            self.spawn("chatter", chatter(self, cluster.network, me, cluster.address_of(peer)));
        });
    }
    cluster.at("web1").start();
    cluster.at("web2").start();
    cluster.simulation.run_until(instant{} + 1min);
    cluster.at("web2").crash();
    cluster.simulation.run_until(instant{} + 2min);
    return cluster.simulation.hash();
}

TEST_CASE("the same seed gives the same run, another seed another") {
    CHECK(hash_of_run(1) == hash_of_run(1));
    CHECK(hash_of_run(1) != hash_of_run(2));
}

TEST_CASE("events run by time, and those of one instant in the order they were scheduled") {
    sim::simulation events(1);
    std::string order;

    events.after(events.kernel(), 2s, [&] { order += "d"; });
    events.after(events.kernel(), 1s, [&] {
        events.post(events.kernel(), [&] { order += "c"; });
        order += "a";
    });
    events.after(events.kernel(), 1s, [&] { order += "b"; });
    events.run_until(instant{} + 3s);

    CHECK(order == "abcd");
    CHECK(events.now() == instant{} + 3s);
}

TEST_CASE("coroutines sleep in virtual time") {
    sim::cluster cluster(1, {});
    std::vector<instant> ticks;
    process& web1 = cluster.add(
        named("web1"), [&](process& self) { self.spawn("tick", tick(self.clock(), ticks)); });

    web1.start();
    cluster.simulation.run_until(instant{} + 1h);

    CHECK(ticks.size() == 3600);
    CHECK(ticks.back() == instant{} + 1h);
}

TEST_CASE("a deadline ends a wait that is too long and leaves a punctual one alone") {
    sim::cluster cluster(1, {});
    std::vector<errc> failures;
    int answer = 0;
    process& web1 = cluster.add(named("web1"), [&](process& self) {
        self.spawn("deadlines", record_deadlines(self.clock(), failures, answer));
    });

    web1.start();
    cluster.simulation.run_until(instant{} + 10s);

    CHECK(failures == std::vector<errc>{errc::timed_out});
    CHECK(answer == 42);
}

TEST_CASE("a crash destroys every coroutine where it stands") {
    sim::cluster cluster(1, {});
    int destroyed = 0;
    bool woke = false;
    process& web1 = cluster.add(named("web1"), [&](process& self) {
        self.spawn("sleep", sleep_with(self.clock(), std::make_unique<witness>(destroyed), woke));
        self.spawn("race", race_with(self.clock(), std::make_unique<witness>(destroyed)));
    });
    web1.start();
    cluster.simulation.run_until(instant{} + 1min);

    web1.crash();

    CHECK(destroyed == 2);
    cluster.simulation.run_until(instant{} + 3h);
    CHECK_FALSE(woke);
}

TEST_CASE("a process that is started again begins anew") {
    sim::cluster cluster(1, {});
    std::vector<instant> ticks;
    int starts = 0;
    process& web1 = cluster.add(named("web1"), [&](process& self) {
        ++starts;
        self.spawn("tick", tick(self.clock(), ticks));
    });
    web1.start();
    cluster.simulation.run_until(instant{} + 1500ms);

    web1.crash();
    web1.start();
    cluster.simulation.run_until(instant{} + 3s);

    CHECK(starts == 2);
    CHECK(ticks == std::vector<instant>{instant{} + 1s, instant{} + 2500ms});
}

TEST_CASE("a paused process does late what it would have done, in the same order") {
    sim::cluster cluster(1, {});
    std::vector<instant> ticks;
    process& web1 = cluster.add(
        named("web1"), [&](process& self) { self.spawn("tick", tick(self.clock(), ticks)); });
    web1.start();

    cluster.simulation.run_until(instant{} + 500ms);
    web1.pause(10s);
    cluster.simulation.run_until(instant{} + 12s);

    REQUIRE(ticks.size() == 2);
    CHECK(ticks.front() == instant{} + 10500ms);
}

TEST_CASE("a task that throws is reported with its name") {
    sim::cluster cluster(1, {});
    process& web1 = cluster.add(named("web1"), [](process& self) {
        self.spawn("fall", []() -> asio::awaitable<void> {
            throw std::runtime_error("broken");
            co_return;
        }());
    });

    web1.start();
    cluster.simulation.run_until(instant{} + 1s);

    REQUIRE(cluster.simulation.violations().size() == 1);
    CHECK(cluster.simulation.violations().front() == "web1: fall ended with an exception: broken");
}

TEST_CASE("clocks differ by offset and drift, and a wall clock can be stepped") {
    sim::cluster cluster(1, {});
    process& fast = cluster.add(
        {.name = "fast", .clock = {.offset = 1h, .drift_per_million = 100'000}, .disk = {}}, {});
    fast.start();
    cluster.simulation.run_until(instant{} + 100s);

    CHECK(fast.clock().now() == instant{} + 1h + 110s);
    const auto before = fast.clock().wall();
    fast.clock().step_wall(-5s);
    CHECK(fast.clock().wall() == before - 5s);
}

TEST_CASE("a sleep on a drifting clock never ends early by that clock") {
    for (const std::int64_t drift : {-200, -7, 0, 7, 200, 100'000}) {
        sim::cluster cluster(1, {});
        std::vector<instant> ticks;
        process& web1 = cluster.add(
            {.name = "web1", .clock = {.drift_per_million = drift}, .disk = {}},
            [&](process& self) { self.spawn("tick", tick(self.clock(), ticks)); });
        web1.start();
        cluster.simulation.run_until(instant{} + 1h);

        REQUIRE(ticks.size() > 3500);
        for (std::size_t i = 1; i < ticks.size(); ++i) CHECK(ticks[i] - ticks[i - 1] >= 1s);
    }
}

TEST_CASE("a contract scenario that waits for ever is an error, and is cleaned up") {
    sim::cluster cluster(1, {});
    contract_world contracts(cluster);

    CHECK_THROWS_AS(
        contracts.run([](muster::clock& clock) -> asio::awaitable<void> {
            ignore_error(co_await clock.sleep_for(2h), "longer than a scenario may take");
        }(contracts.clock())),
        std::runtime_error);
    CHECK_THROWS_AS(
        contracts.run([]() -> asio::awaitable<void> {
            ignore_error(co_await never(), "nobody answers");
        }()),
        std::runtime_error);
}

}  // namespace
}  // namespace muster::sim
