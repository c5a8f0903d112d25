// /system/status with a million systems known, beside a fixed one-byte answer of the same server in
// the same run; and what a system costs in memory.
//
//   bench_system_status [systems]
//
// The server is a process of its own with one event loop; CPU time is what the kernel booked on it.
#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/net/connect.h"
#include "adapters/net/http/server.h"
#include "adapters/pki/authority.h"
#include "adapters/pki/pem_file.h"
#include "api/agent/agent_entry_api.h"
#include "base/prng.h"
#include "bench/measure.h"
#include "runtime/clock.h"
#include "tests/harness/free_port.h"
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster {
namespace {

namespace asio = boost::asio;
using bench::cpu_seconds_of;
using bench::must;
using namespace std::chrono_literals;

constexpr std::size_t connections = 64;
constexpr std::size_t requests_a_connection = 500;
constexpr int rounds = 8;  // the cheapest counts: what else runs makes them only dearer

fingerprint print_of(std::uint64_t number) {
    prng random(number);
    fingerprint::bytes_type bytes{};
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        const auto drawn = random.next();
        for (std::size_t byte = 0; byte < 8; ++byte)
            bytes.at(at + byte) = static_cast<unsigned char>(drawn >> (8 * byte));
    }
    return fingerprint(bytes);
}

system_record record_of(std::uint64_t number) {
    system_record system{.print = print_of(number)};
    system.public_key = std::string(32, 'k');
    system.name = fmt::format("web{:07}.munich.acme.example", number);
    system.machine_id = fmt::format("{:032x}", number);
    system.stage = enrolment::accepted;
    system.number = system_number(static_cast<std::int64_t>(number));
    system.zone = "default";
    system.tags = {"db", "production"};
    system.groups = {"ubuntu-18-lts"};
    system.origin = "192.0.2.117";
    system.enrolled = system.enrolled + 24h * 365;
    system.accepted = system.enrolled;
    system.accepted_by = "admin";
    system.version = 2;
    return system;
}

double anonymous_bytes() {
    std::ifstream in("/proc/self/status");
    std::string word;
    double kilobytes = 0;
    while (in >> word) {
        if (word == "RssAnon:" && in >> kilobytes) return kilobytes * 1024;
    }
    throw std::runtime_error("RssAnon not found");
}

void fill(fleet::system_cache& system_cache, std::uint64_t systems) {
    const auto before = anonymous_bytes();
    system_cache.begin_reading();
    std::vector<system_record> page;
    for (std::uint64_t number = 1; number <= systems; ++number) {
        page.push_back(record_of(number));
        if (page.size() < 1'000 && number < systems) continue;
        system_cache.apply(page);
        page.clear();
    }
    system_cache.end_reading();
    const double bytes_per_system = (anonymous_bytes() - before) / static_cast<double>(systems);
    fmt::print("{} systems in memory: {:.0f} bytes each\n", systems, bytes_per_system);
    bench::check_at_most(
        {.name = "memory per system", .measured = bytes_per_system, .unit = "bytes"}, 600);
    std::fflush(stdout);
}

async<net::http::response> one_byte(net::http::request) {
    co_return net::http::text(200, "x");
}

// The server under test, in a child process; ends with its parent.
int serve(const std::filesystem::path& directory, std::uint16_t port, std::uint64_t systems) {
    runtime::system_clock clock;
    runtime::logger log({.level = runtime::log_level::error});
    runtime::metrics metrics;
    const auto store = must(sqlite_metastore::open(directory / "metastore.db", {}));
    const auto ledger = must(ledger_sqlite::open({.file = directory / "ledger.db"}));
    memory_bus bus(clock);
    cluster::bus_publisher bus_publisher(bus, log);
    cluster::topology_cache topology;
    fleet::system_cache system_cache;
    fleet::system_service keys(
        {.engines = {.metastore = *store, .ledger = *ledger, .bus = bus},
         .systems = system_cache,
         .bus = bus_publisher,
         .clock = clock});
    fleet::accept_rule_store rules(*store, clock, log);
    fleet::enrolment_service door(keys, rules, {});
    constexpr access::rate any{.interval = 1ns, .burst = 1'000'000'000};
    api::agent_entry_api agent_entry_api(
        {.systems = system_cache,
         .enrolment = door,
         .topology = topology,
         .clock = clock,
         .metrics = metrics},
        {.status = {.each = any, .all = any}});
    fill(system_cache, systems);

    auto own = must(pki::read_identity(
        must(pki::load_pem(directory / "server.pem")),
        must(pki::load_pem(directory / "server.key")),
        clock.wall()));
    auto routes = std::make_shared<net::http::router>();
    must(routes->add("GET", "/", {.handle = one_byte}));
    must(agent_entry_api.add_routes(*routes));
    std::vector<net::http::listener> listeners;
    listeners.push_back(
        {.address = {.host = "127.0.0.1", .port = port},
         .tls = std::make_shared<net::rotating_tls_server>(must(
             net::tls_server::create({.identity = std::move(own), .protocols = {"http/1.1"}}))),
         .service = {.routes = std::move(routes)}});
    const auto running = must(net::http::server::start(
        {.listeners = std::move(listeners),
         .clock = &clock,
         .limits = {.connections_per_address_max = 1'000, .idle_time = 10min},
         .loops = 1}));
    ::pause();
    return 0;
}

asio::awaitable<void> send_request(net::stream* stream, std::string path, char last) {
    must(co_await stream->write("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    std::array<char, 4096> buffer{};
    std::string answer;
    const std::string end = std::string("\r\n\r\n") + last;
    while (!answer.ends_with(end)) {
        const auto size = must(co_await stream->read_some(buffer));
        if (size == 0) throw std::runtime_error("connection closed by the server");
        answer.append(buffer.data(), size);
        if (!answer.starts_with("HTTP/1.1 200")) throw std::runtime_error(answer);
    }
}

// How a question is asked: of a million systems a different one each time.
struct question {
    bool status = false;
    std::uint64_t systems = 0;
};

asio::awaitable<void> send_requests(net::stream* stream, question question, std::uint64_t seed) {
    prng random(seed);
    for (std::size_t n = 0; n < requests_a_connection; ++n) {
        if (question.status) {
            const auto number = 1 + random.below(question.systems);
            co_await send_request(stream, "/system/status?fp=" + print_of(number).str(), '2');
        } else {
            co_await send_request(stream, "/", 'x');
        }
    }
}

void rethrow(const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
}

asio::awaitable<void> open_many(
    net::destination destination, std::vector<std::unique_ptr<net::stream>>* opened) {
    for (std::size_t n = 0; n < connections; ++n)
        opened->push_back(must(co_await net::connect(destination)));
}

// CPU microseconds of the server a request, on connections that are open already.
double cost_of(
    asio::io_context& loop,
    pid_t server,
    const std::vector<std::unique_ptr<net::stream>>& opened,
    question question) {
    static std::uint64_t seed = 0;
    const double before = cpu_seconds_of(server);
    for (const auto& connection : opened)
        asio::co_spawn(loop, send_requests(connection.get(), question, ++seed), rethrow);
    loop.restart();
    loop.run();
    const auto requests = static_cast<double>(opened.size() * requests_a_connection);
    return (cpu_seconds_of(server) - before) * 1e6 / requests;
}

int measure(const std::string& self, std::uint64_t systems) {
    runtime::system_clock clock;
    const harness::temporary_directory directory("bench-status");
    const auto ca = must(pki::authority::create("bench", clock.wall()));
    const auto own =
        must(ca.issue({.name = "localhost", .hosts = {"127.0.0.1"}, .now = clock.wall()}));
    must(pki::save_pem(directory.path() / "server.pem", own.chain.front().to_pem()));
    must(pki::save_pem(directory.path() / "server.key", own.key.to_pem()));
    const auto port = harness::free_port();
    const auto log = directory.path() / "log";
    harness::process server(
        {.argv = {self, "--serve", directory.path(), std::to_string(port), std::to_string(systems)},
         .output = log});
    harness::eventually("server listening", [&] { return harness::listening(port); }, 120s, log);
    std::ifstream ifstream(log);
    std::string line;
    while (std::getline(ifstream, line)) bench::forward_line(line);
    const auto tls = must(net::tls_client::create(
        {.trusted = net::trusted_authorities{{ca.certificate()}}, .protocols = {"http/1.1"}}));
    const net::destination destination{.address = {.host = "127.0.0.1", .port = port}, .tls = tls};
    asio::io_context loop(1);
    std::vector<std::unique_ptr<net::stream>> opened;
    asio::co_spawn(loop, open_many(destination, &opened), rethrow);
    loop.run();
    double fixed = std::numeric_limits<double>::max();
    double status = fixed;
    for (int round = 0; round < rounds; ++round) {
        const auto cost = [&](bool asks_status) {
            return cost_of(loop, server.pid(), opened, {.status = asks_status, .systems = systems});
        };
        fixed = std::min(fixed, cost(false));
        status = std::min(status, cost(true));
    }
    fmt::print(
        "/system/status of {} systems: {:.2f} us of CPU per request, fixed one-byte response "
        "{:.2f} us; ratio {:.2f}\n",
        systems,
        status,
        fixed,
        status / fixed);
    bench::check_at_most(
        {.name = "/system/status relative to a fixed response", .measured = status / fixed}, 1.2);
    return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const std::vector<std::string>& arguments) {
        if (arguments.size() == 5 && arguments[1] == "--serve") {
            return muster::serve(
                arguments[2],
                static_cast<std::uint16_t>(std::stoi(arguments[3])),
                std::stoull(arguments[4]));
        }
        return muster::measure(
            arguments[0], arguments.size() > 1 ? std::stoull(arguments[1]) : 1'000'000);
    });
}
