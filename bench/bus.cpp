// What a message costs: acknowledged publishes and acknowledged reads a second of the bus in memory
// and of the bus on a real nats-server, in the same run.
//
//   bench_bus            measures and prints both, with the ratio
//
// CPU time is that of this process, and of nats-server beside it.
#include "adapters/bus/memory/memory_bus.h"
#include "adapters/bus/nats/nats_bus.h"
#include "bench/measure.h"
#include "ports/contract/run_concurrently.h"
#include "tests/harness/nats_cluster.h"
#include "tests/harness/real_event_loop.h"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace muster {
namespace {

using bench::cpu_seconds_of;
using bench::must;
using bench::own_cpu_seconds;
using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr int publishers = 256;
constexpr int messages_each = 100;
constexpr std::size_t payload_bytes = 300;
constexpr std::size_t messages = std::size_t{publishers} * messages_each;

awaitable<void> publish(muster::bus& bus, int publisher) {
    for (int number = 0; number < messages_each; ++number) {
        stream::message message{
            .subject = fmt::format("bench.{}", publisher),
            .payload = std::string(payload_bytes, 'p'),
            .id = fmt::format("{}-{}", publisher, number)};
        const auto sent = co_await bus.publish(std::move(message));
        if (!sent) throw std::runtime_error(to_string(sent.error()));
    }
}

awaitable<void> publish_all(muster::bus& bus) {
    std::vector<awaitable<void>> work_items;
    for (int publisher = 0; publisher < publishers; ++publisher)
        work_items.push_back(publish(bus, publisher));
    co_await contract::run_concurrently(std::move(work_items));
}

awaitable<void> read_all(muster::bus& bus) {
    const auto reader =
        must(co_await bus.consume({.name = "bench", .pattern = "bench.>", .ack_wait = 1min}));
    for (std::size_t read = 0; read < messages;) {
        const auto deliveries = must(co_await reader->fetch(500, 5s));
        std::vector<std::uint64_t> sequences;
        for (const auto& delivery : deliveries) sequences.push_back(delivery.sequence);
        const auto done = co_await reader->acknowledge(sequences);
        if (!done) throw std::runtime_error(to_string(done.error()));
        read += sequences.size();
    }
}

struct tally {
    double rate = 0;
    double own_microseconds = 0;
    double server_microseconds = 0;
};

tally measure(awaitable<void> work, pid_t server) {
    harness::real_event_loop loop;
    const auto begin = loop.clock().now();
    const auto own_before = own_cpu_seconds();
    const auto server_before = cpu_seconds_of(server);
    loop.run(std::move(work));
    const auto count = static_cast<double>(messages);
    return {
        .rate = count / std::chrono::duration<double>(loop.clock().now() - begin).count(),
        .own_microseconds = 1e6 * (own_cpu_seconds() - own_before) / count,
        .server_microseconds = 1e6 * (cpu_seconds_of(server) - server_before) / count};
}

void print(const char* name, const tally& result) {
    fmt::print(
        "{:<16} {:>8.0f} messages/s  {:>6.1f} us client CPU  {:>6.1f} us server CPU\n",
        name,
        result.rate,
        result.own_microseconds,
        result.server_microseconds);
}

int run() {
    harness::real_event_loop loop;
    memory_bus memory(loop.clock());
    const auto memory_published = measure(publish_all(memory), 0);
    const auto memory_read = measure(read_all(memory), 0);

    harness::nats_cluster servers;
    const auto nats =
        must(nats_bus::open({.servers = {fmt::format("nats://127.0.0.1:{}", servers.port(0))}}));
    const auto nats_published = measure(publish_all(*nats), servers.pid(0));
    const auto nats_read = measure(read_all(*nats), servers.pid(0));

    fmt::print(
        "{} messages of {} bytes on {} subjects, {} at a time\n",
        messages,
        payload_bytes,
        publishers,
        publishers);
    print("memory, publish", memory_published);
    print("memory, read", memory_read);
    print("nats, publish", nats_published);
    print("nats, read", nats_read);
    fmt::print(
        "nats relative to memory: {:.3f} of the publishes/s, {:.3f} of the reads/s\n",
        nats_published.rate / memory_published.rate,
        nats_read.rate / memory_read.rate);
    return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& /*arguments*/) { return muster::run(); });
}
