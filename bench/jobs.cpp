// A whole job, from `muster run` to the last answer on record: systems a second and the server's
// CPU a system, with real agents of muster-swarm on loopback.
//
//   bench_jobs [COUNT] [sqlite|postgres]     runs test.ping on COUNT (15,000) agents, and before
//                                            that on a tenth of them, as the reference
//
// The end is when the server has written the last answer down, as its metrics say.
#include "bench/measure.h"
#include "tests/harness/free_port.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace muster {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using bench::cpu_seconds_of;
using steady = std::chrono::steady_clock;

constexpr std::uint64_t count_default = 15'000;
constexpr int rounds = 3;

// One server on the embedded engines, or with PostgreSQL as its ledger.
struct cluster {
    harness::temporary_directory home{"bench-jobs"};
    std::unique_ptr<harness::postgres_server> postgres;
    std::uint16_t port = harness::free_port();
    std::uint16_t health = harness::free_port();
    std::filesystem::path log = home.path() / "log";
    std::unique_ptr<harness::process> server;

    explicit cluster(bool on_postgres) {
        std::vector<std::string> argv{
            MUSTER,
            "serve",
            "--data",
            home.path() / "data",
            "--listen",
            "127.0.0.1:" + std::to_string(port),
            "--advertise",
            "127.0.0.1:" + std::to_string(port),
            "--health-listen",
            "127.0.0.1:" + std::to_string(health),
            "--http-connections-max",
            "19500",
            "--http-connections-per-address-max",
            "19500",
            "--system-address-rate",
            "10000",
            "--log-level",
            "warning"};
        if (on_postgres) {
            postgres = std::make_unique<harness::postgres_server>();
            postgres->create_database("muster");
            argv.insert(argv.end(), {"--ledger", postgres->address("muster")});
        }
        server = std::make_unique<harness::process>(
            harness::command{.argv = std::move(argv), .output = log});
        harness::eventually(
            "the server is ready",
            [this] { return harness::listening(port) && login(); },
            60s,
            log);
        must_run(
            {"keys",
             "rules",
             "add",
             "swarm",
             "--name",
             "swarm-*",
             "--network",
             "127.0.0.0/8",
             "--zone",
             "default"});
    }

    int cli(std::vector<std::string> words) const {
        std::vector<std::string> argv{MUSTER};
        argv.insert(argv.end(), words.begin(), words.end());
        harness::process one(
            {.argv = std::move(argv),
             .environment =
                 {{"MUSTER_SERVER", "https://127.0.0.1:" + std::to_string(port)},
                  {"MUSTER_CA", home.path() / "data" / "ca.pem"},
                  {"MUSTER_TOKEN_FILE", home.path() / "token"}},
             .output = home.path() / "cli.log"});
        return one.wait(300s).value_or(-1);
    }
    bool login() const {
        return cli(
                   {"login",
                    "--user",
                    "admin",
                    "--password-file",
                    home.path() / "data" / "first-password"})
               == 0;
    }
    void must_run(std::vector<std::string> words) const {
        if (cli(words) != 0) throw std::runtime_error("muster " + words.front() + " failed");
    }
};

struct figures {
    double a_second = 0;
    double cpu_us = 0;  // of the server, a system
};

// The number behind a name of the server's metrics.
std::uint64_t metric(const cluster& on, const std::string& name) {
    asio::io_context loop;
    asio::ip::tcp::socket to(loop);
    to.connect({asio::ip::address_v4::loopback(), on.health});
    asio::write(
        to,
        asio::buffer(std::string("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")));
    std::string text;
    boost::system::error_code ended;
    asio::read(to, asio::dynamic_buffer(text), ended);
    const auto at = text.find("\n" + name + " ");
    if (at == std::string::npos) throw std::runtime_error("no metric " + name);
    return static_cast<std::uint64_t>(std::stod(text.substr(at + name.size() + 2)));
}

figures run_job(const cluster& on, const std::string& query, std::uint64_t systems) {
    const std::string written = "muster_returns_written_total";
    figures best;
    best.cpu_us = 1e9;
    for (int round = 0; round < rounds; ++round) {
        const double before = cpu_seconds_of(on.server->pid());
        const auto began = steady::now();
        const auto until = metric(on, written) + systems;
        on.must_run({"run", query, "--yes", "--async", "--function", "test.ping"});
        harness::eventually(
            "all answers on record", [&] { return metric(on, written) >= until; }, 120s, on.log);
        const std::chrono::duration<double> took = steady::now() - began;
        const double cpu = cpu_seconds_of(on.server->pid()) - before;
        best.a_second = std::max(best.a_second, static_cast<double>(systems) / took.count());
        best.cpu_us = std::min(best.cpu_us, cpu * 1e6 / static_cast<double>(systems));
    }
    return best;
}

int measure(std::uint64_t count, bool on_postgres) {
    const cluster on(on_postgres);
    const auto flag = on.home.path() / "attached";
    harness::process swarm(
        {.argv =
             {MUSTER_SWARM,
              "--server",
              "https://127.0.0.1:" + std::to_string(on.port),
              "--ca",
              on.home.path() / "data" / "ca.pem",
              "--count",
              std::to_string(count),
              "--rate",
              "400",
              "--attached-file",
              flag},
         .output = on.home.path() / "swarm.log"});
    harness::eventually(
        "all agents attached",
        [&] { return std::filesystem::exists(flag) || !swarm.running(); },
        400s,
        on.home.path() / "swarm.log");
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
    return swarm.stop() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace muster

int main(int count, char** words) {
    return muster::bench::run(count, words, [](const auto& arguments) {
        const auto agents =
            arguments.size() > 1 ? std::stoull(arguments[1]) : muster::count_default;
        return muster::measure(agents, arguments.size() > 2 && arguments[2] == "postgres");
    });
}
