#include "services/presence/presence_cache.h"

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/os/process_usage.h"
#include "base/prng.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "services/presence/attached_agents.h"
#include "services/presence/publisher.h"
#include "services/presence/report_codec.h"
#include "services/presence/subscriber.h"
#include "tests/fixtures/presence/fixed_start.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/until.h"

#include <doctest/doctest.h>

using namespace muster;
using namespace muster::presence;
using namespace std::chrono_literals;
using session::reason;

namespace {

packed_address address_of(const char* text) {
    return pack(boost::asio::ip::make_address(text));
}

attach_event came(std::int64_t number, seconds since) {
    return {.system = system_number(number), .address = address_of("10.1.2.3"), .since = since};
}

}  // namespace

TEST_CASE("a report survives the bus, whatever it holds") {
    prng random(5);
    for (int round = 0; round < 100; ++round) {
        report response{
            .node = node_number(1 + static_cast<std::int64_t>(random.below(1000))),
            .zone = "default",
            .start = random.next(),
            .sequence = random.below(100),
            .at = 1'800'000'000};
        if (random.chance(500))
            response.complete_range = report::range{system_number(1), system_number(INT32_MAX)};
        std::int64_t number = 0;
        for (std::size_t n = random.below(300); n > 0; --n) {
            number += 1 + static_cast<std::int64_t>(random.below(5000));
            auto each = came(number, static_cast<seconds>(1'700'000'000 + random.below(1000)));
            if (random.chance(300)) each.address = address_of("2001:db8::7");
            response.attach_events.push_back(each);
        }
        for (std::size_t n = random.below(50); n > 0; --n)
            response.detach_events.push_back(
                {.system = system_number(1 + static_cast<std::int64_t>(random.below(10'000))),
                 .why = reason::silent,
                 .at = 1'799'999'999});

        const auto again = decode_report(encode(response));

        REQUIRE(again.has_value());
        CHECK(*again == response);
    }
}

TEST_CASE("what is no report is refused") {
    CHECK(decode_report("nonsense").error().code() == errc::corrupt);
    auto good = encode({.node = node_number(1), .zone = "default", .attach_events = {came(1, 2)}});
    for (std::size_t cut = 1; cut < good.size(); ++cut)
        static_cast<void>(decode_report(good.substr(0, cut)));
    CHECK(
        decode_report(std::string(report_limits::bytes_max + 1, '\0')).error().code()
        == errc::corrupt);
}

TEST_CASE("a large report is cut into messages within the limit, and no range is left out") {
    report whole{.node = node_number(1), .zone = "default", .start = 1, .sequence = 5, .at = 100};
    whole.complete_range = report::range{system_number(1), system_number(INT32_MAX)};
    for (std::int64_t n = 1; n <= 30'000; ++n) {
        auto each = came(n * 60'000, 1);
        each.address = address_of("2001:db8::7");
        whole.attach_events.push_back(each);
    }
    for (std::int64_t n = 1; n <= 30'000; ++n)
        whole.detach_events.push_back({.system = system_number(n), .why = reason::silent, .at = 1});

    const auto parts = split(whole);

    CHECK(parts.size() == 4);
    std::int64_t next = 1;
    std::uint64_t sequence = 5;
    for (const auto& part : parts) {
        CHECK(encode(part).size() <= report_limits::bytes_max);
        CHECK(part.sequence == sequence++);
        CHECK(part.complete_range->first.value() == next);
        next = part.complete_range->last.value() + 1;
    }
    CHECK(next == std::int64_t{INT32_MAX} + 1);
}

TEST_CASE("a newer channel of a system takes it over, and the older one's end changes nothing") {
    attached_agents here;
    CHECK_FALSE(here.attach(came(1, 10), {.loop = 0, .number = 1}, 7).has_value());

    const auto before = here.attach(came(1, 20), {.loop = 1, .number = 9}, 7);

    CHECK(before == attached_agents::connection{.loop = 0, .number = 1});
    here.detach({.system = system_number(1), .why = reason::replaced, .at = 20}, *before);
    CHECK(here.size() == 1);
    const auto changes = here.take_changes();
    CHECK(changes.attach_events.size() == 1);
    CHECK(changes.detach_events.empty());
    CHECK(changes.started == std::vector{system_number(1)});
}

TEST_CASE("a reconnect of a running agent is no start") {
    attached_agents here;
    here.attach(came(1, 10), {.loop = 0, .number = 1}, 7);
    here.detach({.system = system_number(1), .why = reason::broken, .at = 12}, {0, 1});
    static_cast<void>(here.take_changes());

    here.attach(came(1, 20), {.loop = 0, .number = 2}, 7);
    CHECK(here.take_changes().started.empty());

    here.attach(came(1, 30), {.loop = 0, .number = 3}, 8);
    CHECK(here.take_changes().started.size() == 1);
}

namespace {

struct told_over_the_bus {
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    memory_bus bus{clock};
    cluster::topology_cache topology;
    attached_agents here;
    muster::presence::presence_cache kept;
    load_cache loads;
    test::fixed_start started{1};
    publisher out{
        {.bus = bus,
         .clock = clock,
         .topology = topology,
         .attached = here,
         .log = log,
         .start = started},
        {.node = "alpha", .change_interval = 5ms, .full_report_interval = 50ms}};
    subscriber in{
        {.bus = bus,
         .clock = clock,
         .topology = topology,
         .presence = kept,
         .loads = loads,
         .log = log},
        {.absence_max = 50ms, .check_interval = 5ms}};

    void show_node(bool there) {
        auto next = std::make_shared<cluster::topology>();
        next->nodes["alpha"] = {.number = node_number(3), .name = "alpha", .zone = "default"};
        next->node_names[node_number(3)] = "alpha";
        if (there) next->servers["alpha"] = {.name = "alpha"};
        topology.publish(std::move(next));
    }
};

boost::asio::awaitable<void> tell_and_hear(told_over_the_bus* all) {
    runtime::task_group tasks(
        co_await boost::asio::this_coro::executor,
        [](const std::string& task, std::exception_ptr) { FAIL("a task failed: " << task); });
    all->show_node(true);
    tasks.spawn("in", all->in.follow_reports());
    tasks.spawn("loads", all->in.follow_loads());
    tasks.spawn("lost", all->in.expire_nodes());
    tasks.spawn("out", all->out.run());
    all->here.attach(came(8, to_seconds(all->clock.wall())), {.loop = 0, .number = 1}, 1);

    co_await harness::until(all->clock, "the system and the load of its node are known", [all] {
        return all->kept.is_attached(system_number(8)) && all->loads.find("alpha");
    });
    const auto observed = all->kept.find(system_number(8));
    CHECK(observed->node == node_number(3));
    CHECK(observed->address == "10.1.2.3");
    CHECK(observed->reason.empty());
    CHECK(all->loads.find("alpha")->last.cores == os::read_process_usage().cores);
    CHECK(all->loads.find("alpha")->last.memory_bytes > 0);

    all->show_node(false);
    co_await harness::until(all->clock, "the system is gone", [all] {
        return !all->kept.is_attached(system_number(8));
    });
    CHECK(all->kept.find(system_number(8))->reason == "node lost");
    tasks.cancel();
    co_await tasks.join();
}

}  // namespace

TEST_CASE("who is attached is known across the bus, and gone when the node's lease is") {
    told_over_the_bus all;
    harness::real_event_loop world;
    world.run(tell_and_hear(&all));
}

TEST_CASE("a node's load is what it used between two reports") {
    load_cache loads;
    const wall_time start(1'800'000'000s);
    loads.apply({.node = "a", .cpu_seconds = 10, .cores = 2, .start = 1, .at = start}, instant(1s));
    loads.apply(
        {.node = "a", .cpu_seconds = 15, .cores = 2, .start = 1, .at = start + 5s}, instant(1s));
    CHECK(loads.find("a")->cpu_share == doctest::Approx(0.5));

    loads.apply(
        {.node = "a", .cpu_seconds = 1, .cores = 2, .start = 2, .at = start + 10s}, instant(1s));
    CHECK(loads.find("a")->cpu_share == doctest::Approx(0.0));

    const auto again = decode_load(encode(loads.find("a")->last));
    REQUIRE(again.has_value());
    CHECK(again->at == start + 10s);
    loads.expire(instant(2s));
    CHECK_FALSE(loads.find("a").has_value());
}
