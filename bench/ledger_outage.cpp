// How much memory a server takes while its ledger stands still in the middle of a job whose every
// return is another megabyte, and whether all of it is on record in the end.
//
//   bench_ledger_outage [COUNT] [SIZE] [PAUSE]    COUNT (300) agents return SIZE (1MiB) each;
//                                                 PostgreSQL stands still for PAUSE (20) seconds
//
// Fails when the server grows by more than it may have under way.
#include "bench/benchmark_server.h"
#include "bench/measure.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace muster {
namespace {

using namespace std::chrono_literals;
using bench::benchmark_server;
using steady = std::chrono::steady_clock;

// What is under way may take (payload_collector, task_result_writer, task_inbox), the allocator's
// share included.
constexpr std::uint64_t growth_max_mib = 256;

// "VmRSS" or "VmHWM" (the peak), in MiB.
std::uint64_t memory_of(pid_t process, const std::string& name) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1)) / 1024;
    throw std::runtime_error("server exited");
}

double seconds_since(steady::time_point began) {
    return std::chrono::duration<double>(steady::now() - began).count();
}

struct plan {
    std::uint64_t count = 300;
    std::string size = "1MiB";
    int pause = 20;
};

int measure(const plan& plan) {
    const std::string stored = "muster_payloads_stored_total";
    const benchmark_server server(benchmark_server::ledger::postgres);
    const auto swarm = server.attach_swarm(plan.count, {"--payload", plan.size});
    const auto before = memory_of(server.pid(), "VmRSS");
    const auto began = steady::now();
    server.must_run({"run", "name:swarm-*", "--yes", "--async", "--", "true"});
    harness::eventually(
        "first result recorded",
        [&] { return server.metric(stored) >= plan.count / 20; },
        600s,
        server.log());
    server.postgres().pause();
    const auto had = server.metric(stored);
    std::this_thread::sleep_for(std::chrono::seconds(plan.pause));
    const auto while_away = memory_of(server.pid(), "VmHWM");
    server.postgres().resume();
    const auto resumed = steady::now();
    harness::eventually(
        "all results recorded",
        [&] { return server.metric(stored) >= plan.count; },
        2400s,
        server.log());
    const auto peak = memory_of(server.pid(), "VmHWM");
    fmt::print(
        "{} agents with {} each, ledger paused after {} for {} s: server memory {} MiB before, "
        "peak {} MiB during the pause, {} MiB overall; {} recorded in {:.0f} s, {:.0f} per second "
        "after the pause\n",
        plan.count,
        plan.size,
        had,
        plan.pause,
        before,
        while_away,
        peak,
        server.metric(stored),
        seconds_since(began),
        static_cast<double>(plan.count - had) / seconds_since(resumed));
    const bool ended = swarm->stop(60s) == 0;
    bench::check_at_most(
        {.name = "memory growth while the ledger is paused",
         .measured = static_cast<double>(peak) - static_cast<double>(before),
         .unit = "MiB"},
        static_cast<double>(growth_max_mib));
    return ended ? 0 : 1;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& arguments) {
        muster::plan plan;
        if (arguments.size() > 1) plan.count = std::stoull(arguments[1]);
        if (arguments.size() > 2) plan.size = arguments[2];
        if (arguments.size() > 3) plan.pause = std::stoi(arguments[3]);
        return muster::measure(plan);
    });
}
