#include "bench/benchmark_server.h"

#include "tests/harness/free_port.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace muster::bench {

namespace asio = boost::asio;
using namespace std::chrono_literals;

benchmark_server::benchmark_server(ledger engine, std::uint64_t systems)
    : port_(harness::free_port()), health_(harness::free_port()) {
    if (systems > 0) {
        harness::process fleet_builder(
            {.argv = {SYNTHETIC_FLEET, home_.path() / "data", std::to_string(systems)},
             .output = log_});
        if (fleet_builder.wait(600s) != 0) throw std::runtime_error("synthetic fleet not created");
    }
    const auto address = "127.0.0.1:" + std::to_string(port_);
    std::vector<std::string> argv{
        MUSTER,
        "serve",
        "--data",
        home_.path() / "data",
        "--listen",
        address,
        "--advertise",
        address,
        "--health-listen",
        "127.0.0.1:" + std::to_string(health_),
        "--http-connections-max",
        "19500",
        "--http-connections-per-address-max",
        "19500",
        "--agents-requests-per-address",
        "10000",
        "--log-level",
        "warning"};
    if (engine == ledger::postgres) {
        postgres_ = std::make_unique<harness::postgres_server>();
        postgres_->create_database("muster");
        argv.insert(argv.end(), {"--ledger", postgres_->address("muster"), "--ledger-tls", "off"});
    }
    server_ = std::make_unique<harness::process>(
        harness::command{.argv = std::move(argv), .output = log_});
    harness::eventually(
        "server ready", [this] { return harness::listening(port_) && login(); }, 300s, log_);
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

int benchmark_server::cli(std::vector<std::string> arguments) const {
    std::vector<std::string> argv{MUSTER};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    harness::process process(
        {.argv = std::move(argv),
         .environment =
             {{"MUSTER_SERVER", "https://127.0.0.1:" + std::to_string(port_)},
              {"MUSTER_CA", home_.path() / "data" / "ca.pem"},
              {"MUSTER_TOKEN_FILE", home_.path() / "token"}},
         .output = home_.path() / "cli.log"});
    return process.wait(300s).value_or(-1);
}

bool benchmark_server::login() const {
    const auto first = home_.path() / "data" / "first-password";
    const auto chosen = home_.path() / "chosen-password";
    std::ofstream(chosen) << "correct horse stapler\n";
    std::filesystem::permissions(chosen, std::filesystem::perms(0600));
    return cli({"login", "--user", "admin", "--password-file", first}) == 0
           && cli({"password", "--old-file", first, "--new-file", chosen}) == 0;
}

void benchmark_server::must_run(std::vector<std::string> arguments) const {
    const auto first = arguments.front();
    if (cli(std::move(arguments)) != 0) throw std::runtime_error("muster " + first + " failed");
}

std::unique_ptr<harness::process> benchmark_server::attach_swarm(
    std::uint64_t count, const std::vector<std::string>& flags) const {
    const auto flag = home_.path() / "attached";
    const auto output = home_.path() / "swarm.log";
    std::vector<std::string> argv{
        MUSTER_SWARM,
        "--server",
        "https://127.0.0.1:" + std::to_string(port_),
        "--ca",
        home_.path() / "data" / "ca.pem",
        "--count",
        std::to_string(count),
        "--rate",
        "400",
        "--attached-file",
        flag};
    argv.insert(argv.end(), flags.begin(), flags.end());
    auto swarm = std::make_unique<harness::process>(
        harness::command{.argv = std::move(argv), .output = output});
    harness::eventually(
        "all agents attached",
        [&] { return std::filesystem::exists(flag) || !swarm->running(); },
        400s,
        output);
    return swarm;
}

std::uint64_t benchmark_server::metric(const std::string& name) const {
    asio::io_context loop;
    asio::ip::tcp::socket socket(loop);
    socket.connect({asio::ip::address_v4::loopback(), health_});
    asio::write(
        socket,
        asio::buffer(std::string("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")));
    std::string text;
    boost::system::error_code ended;
    asio::read(socket, asio::dynamic_buffer(text), ended);
    const auto position = text.find("\n" + name + " ");
    if (position == std::string::npos) throw std::runtime_error("metric not found: " + name);
    return static_cast<std::uint64_t>(std::stod(text.substr(position + name.size() + 2)));
}

}  // namespace muster::bench
