// A whole job, from `muster run` to the last answer on record: systems a second and the server's
// CPU a system, with real agents of muster-swarm on loopback.
//
//   bench_jobs [COUNT] [sqlite|postgres]     runs test.ping on COUNT (15,000) agents, and before
//                                            that on a tenth of them, as the reference; on both
//                                            ledgers, one after the other, if none is named
//
// The end is when the server has written the last answer down, as its metrics say.
#include "bench/measure.h"
#include "bench/one_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace muster {
namespace {

using namespace std::chrono_literals;
using bench::cpu_seconds_of;
using bench::one_server;
using steady = std::chrono::steady_clock;

constexpr std::uint64_t count_default = 15'000;
constexpr int rounds = 3;

struct figures {
    double a_second = 0;
    double cpu_us = 0;  // of the server, a system
};

figures run_job(const one_server& on, const std::string& query, std::uint64_t systems) {
    const std::string written = "muster_returns_written_total";
    figures best;
    best.cpu_us = 1e9;
    for (int round = 0; round < rounds; ++round) {
        const double before = cpu_seconds_of(on.pid());
        const auto began = steady::now();
        const auto until = on.metric(written) + systems;
        on.must_run({"run", query, "--yes", "--async", "--function", "test.ping"});
        harness::eventually(
            "all answers on record", [&] { return on.metric(written) >= until; }, 120s, on.log());
        const std::chrono::duration<double> took = steady::now() - began;
        const double cpu = cpu_seconds_of(on.pid()) - before;
        best.a_second = std::max(best.a_second, static_cast<double>(systems) / took.count());
        best.cpu_us = std::min(best.cpu_us, cpu * 1e6 / static_cast<double>(systems));
    }
    return best;
}

int measure(std::uint64_t count, bool on_postgres) {
    const one_server on(on_postgres ? one_server::ledger::postgres : one_server::ledger::sqlite);
    const auto swarm = on.attach_swarm(count, {});
    const auto reference = run_job(on, "name:swarm-*0", count / 10);
    const auto all = run_job(on, "name:swarm-*", count);
    fmt::print(
        "test.ping on {}: {} agents {:.0f} systems/s, {:.1f} us of server CPU each; {} agents "
        "{:.0f} "
        "systems/s, {:.1f} us each; ratio {:.2f}\n",
        on_postgres ? "PostgreSQL" : "SQLite",
        count / 10,
        reference.a_second,
        reference.cpu_us,
        count,
        all.a_second,
        all.cpu_us,
        all.cpu_us / reference.cpu_us);
    const std::string ledger = on_postgres ? "PostgreSQL" : "SQLite";
    bench::wanted_at_least({ledger + ": systems a second", all.a_second}, 10'000);
    bench::wanted_at_most({ledger + ": server CPU a system", all.cpu_us, "us"}, 60);
    bench::wanted_at_most(
        {ledger + ": CPU a system to that of a tenth", all.cpu_us / reference.cpu_us, "x"}, 1.2);
    return swarm->stop() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace muster

int main(int count, char** words) {
    return muster::bench::run(count, words, [](const auto& arguments) {
        const auto agents =
            arguments.size() > 1 ? std::stoull(arguments[1]) : muster::count_default;
        if (arguments.size() > 2) return muster::measure(agents, arguments[2] == "postgres");
        return std::max(muster::measure(agents, false), muster::measure(agents, true));
    });
}
