#include "tests/harness/postgres_server.h"
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"
#include "tests/integration/muster_server.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

// A ledger that stands still while a job returns more than a server may hold.
namespace muster::integration {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::uint64_t agents = 300;
// A third of what all payloads are together: enough for what may be under way, not for a server
// that takes in what it cannot write down.
constexpr std::uint64_t growth_max_mib = 100;

// "VmRSS", or "VmHWM" for the peak.
std::uint64_t memory_mib(pid_t process, const std::string& name) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1)) / 1024;
    throw std::runtime_error("no " + name + " of the server");
}

std::uint64_t metric(const muster_server& of, const std::string& name) {
    const auto text = of.health("/metrics").output;
    const auto at = text.find("\n" + name + " ");
    if (at == std::string::npos) throw std::runtime_error("no metric " + name);
    return static_cast<std::uint64_t>(std::stod(text.substr(at + name.size() + 2)));
}

harness::command swarm_of(
    const muster_server& server, const std::filesystem::path& home, const std::string& payload) {
    return {
        .argv =
            {MUSTER_SWARM_PROGRAM,
             "--server",
             "https://127.0.0.1:" + std::to_string(server.port()),
             "--ca",
             server.data() / "ca.pem",
             "--count",
             std::to_string(agents),
             "--rate",
             "150",
             "--payload",
             payload,
             "--attached-file",
             home / "attached"},
        .environment = {},
        .output = home / "swarm.log",
        .user = {}};
}

TEST_CASE("what a ledger that stands still cannot take stays with the agents, and none is lost") {
    harness::postgres_server engine;
    engine.create_database("muster");
    muster_server server({"--ledger", engine.address("muster"), "--ledger-tls", "off"});
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    const auto rule = server.cli(
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
    REQUIRE(rule.exit_code == 0);
    const harness::temporary_directory home("outage");
    harness::process swarm(swarm_of(server, home.path(), "1MiB"));
    harness::eventually(
        "all agents attached",
        [&] { return std::filesystem::exists(home.path() / "attached"); },
        120s,
        home.path() / "swarm.log");
    const std::string stored = "muster_payloads_stored_total";
    const auto before = memory_mib(server.pid(), "VmRSS");

    const auto begun = server.cli({"run", "name:swarm-*", "--yes", "--async", "--", "true"});
    CAPTURE(begun.output);
    REQUIRE(begun.exit_code == 0);
    harness::eventually(
        "some payloads on record", [&] { return metric(server, stored) >= 10; }, 60s);
    engine.pause();
    server.wait_until_not_ready();
    const auto had = metric(server, stored);
    const auto while_away = memory_mib(server.pid(), "VmHWM");
    engine.resume();
    harness::eventually(
        "all payloads on record", [&] { return metric(server, stored) >= agents; }, 180s);
    const auto in_all = memory_mib(server.pid(), "VmHWM");

    CAPTURE(before);
    CAPTURE(while_away);
    CAPTURE(in_all);
    CHECK(had < agents);
    CHECK(while_away - before <= growth_max_mib);
    CHECK(in_all - before <= growth_max_mib);
    const auto job = begun.output.substr(0, begun.output.find('\n'));
    harness::eventually(
        "the job is done",
        [&] {
            const auto output = json::parse(server.cli({"job", job, "-o", "json"}).output);
            return output.at("stage") == "done" && output.at("counts").at("completed") == agents;
        },
        60s);
}

}  // namespace
}  // namespace muster::integration
