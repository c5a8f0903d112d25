// A whole job, from `muster run` to the last answer on record: systems a second and the server's
// CPU a system, with real agents of muster-swarm on loopback.
//
//   bench_jobs [COUNT] [sqlite|postgres]     runs test.ping on COUNT (15,000) agents, and before
//                                            that on a fifteenth and on a third, each on a server
//                                            of its own; on both ledgers, one after the other, if
//                                            none is named
//
// The end is when the server has written the last answer down, as its metrics say; what it costs
// the server to be asked for them is taken off.
#include "bench/benchmark_server.h"
#include "bench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace muster {
namespace {

using namespace std::chrono_literals;
using bench::benchmark_server;
using bench::cpu_seconds_of;
using steady = std::chrono::steady_clock;

constexpr std::uint64_t count_default = 15'000;
constexpr std::uint64_t systems_in_all = 45'000;  // of all jobs of one measurement
constexpr auto look_interval = 10ms;
constexpr int looks_to_price = 50;
constexpr auto timeout = 120s;

struct figures {
    double a_second = 0;  // the best job's
    double cpu_us = 0;    // of the server, a system, on average
};

std::uint64_t returns_of(const benchmark_server& server) {
    return server.metric("muster_returns_written_total");
}

double cpu_of_a_poll(const benchmark_server& server) {
    const double before = cpu_seconds_of(server.pid());
    for (int n = 0; n < looks_to_price; ++n) returns_of(server);
    return (cpu_seconds_of(server.pid()) - before) / looks_to_price;
}

// Looks until so many answers are on record, and says how often it looked.
int await_returns(const benchmark_server& server, std::uint64_t desired) {
    const auto end = steady::now() + timeout;
    int polls = 1;
    for (; returns_of(server) < desired; ++polls) {
        if (steady::now() > end) throw std::runtime_error("results are missing");
        std::this_thread::sleep_for(look_interval);
    }
    return polls;
}

figures run_jobs(const benchmark_server& server, std::uint64_t systems) {
    const auto jobs = std::max<std::uint64_t>(systems_in_all / systems, 1);
    const double poll_cost = cpu_of_a_poll(server);
    figures result;
    double cpu = 0;
    for (std::uint64_t job = 0; job < jobs; ++job) {
        const auto until = returns_of(server) + systems;
        const double before = cpu_seconds_of(server.pid());
        const auto began = steady::now();
        server.must_run({"run", "name:swarm-*", "--yes", "--async", "--function", "test.ping"});
        const int polls = await_returns(server, until);
        const std::chrono::duration<double> took = steady::now() - began;
        cpu += cpu_seconds_of(server.pid()) - before - poll_cost * polls;
        result.a_second = std::max(result.a_second, static_cast<double>(systems) / took.count());
    }
    result.cpu_us = cpu * 1e6 / static_cast<double>(systems * jobs);
    return result;
}

figures measure_with(std::uint64_t agents, benchmark_server::ledger ledger) {
    const benchmark_server server(ledger);
    const auto swarm = server.attach_swarm(agents, {});
    const auto result = run_jobs(server, agents);
    fmt::print(
        "test.ping on {}: {} agents {:.0f} systems/s, {:.1f} us of server CPU each\n",
        ledger == benchmark_server::ledger::postgres ? "PostgreSQL" : "SQLite",
        agents,
        result.a_second,
        result.cpu_us);
    if (swarm->stop() != 0) throw std::runtime_error("swarm failed");
    return result;
}

int measure(std::uint64_t count, bool on_postgres) {
    const auto ledger =
        on_postgres ? benchmark_server::ledger::postgres : benchmark_server::ledger::sqlite;
    const std::string name = on_postgres ? "PostgreSQL" : "SQLite";
    std::vector<double> costs;
    figures last;
    for (const auto agents : {count / 15, count / 3, count}) {
        last = measure_with(agents, ledger);
        costs.push_back(last.cpu_us);
    }
    const auto [least, most] = std::ranges::minmax_element(costs);
    bench::check_at_least({name + ": systems per second", last.a_second}, 10'000);
    bench::check_at_most({name + ": server CPU per system", last.cpu_us, "us"}, 60);
    bench::check_at_most(
        {name + ": CPU per system with most agents relative to fewest",
         last.cpu_us / costs.front(),
         "x"},
        1.2);
    const double middle = (*most + *least) / 2;
    bench::check_at_most({name + ": maximum relative to median", *most / middle, "x"}, 1.2);
    return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& arguments) {
        const auto agents =
            arguments.size() > 1 ? std::stoull(arguments[1]) : muster::count_default;
        if (arguments.size() > 2) return muster::measure(agents, arguments[2] == "postgres");
        return std::max(muster::measure(agents, false), muster::measure(agents, true));
    });
}
