// What agents cost a node: an attach, an idle second, and memory, with real agents on loopback.
//
//   bench_channel [COUNT]      attaches COUNT (18,000) agents of muster-swarm and measures
//
// The node is a process of its own: the node role over a hand-made topology and fleet, so that only
// channels are measured. An attach is set beside a bare TLS handshake of the same run. Kernel
// memory is the growth of slab and socket memory; both ends are on this machine, so each has half.
#include "adapters/agent_protocol/frame_codec.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/net/connect.h"
#include "adapters/net/http/server.h"
#include "adapters/pki/agent_proof.h"
#include "adapters/pki/authority.h"
#include "adapters/pki/pem_file.h"
#include "bench/measure.h"
#include "roles/node/connections/agent_connection_server.h"
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
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace muster {
namespace {

namespace asio = boost::asio;
using bench::cpu_seconds_of;
using bench::must;
using namespace std::chrono_literals;

constexpr std::uint64_t count_default = 18'000;
constexpr std::size_t direct_attaches = 3'000;
constexpr std::size_t at_once = 16;
constexpr std::uint64_t count_min = 1'000;
constexpr auto idle_span = 30s;
constexpr auto seed = "bench";

pki::private_key key_of(std::uint64_t number) {  // as muster-swarm makes them
    return must(pki::private_key::from_ed25519_bytes(
        pki::sha256(fmt::format("muster-swarm {} {}", seed, number))));
}

std::shared_ptr<const cluster::topology> one_node_has_all(const std::string& address) {
    auto result = std::make_shared<cluster::topology>();
    result->nodes["alpha"] = {
        .number = node_number(1),
        .name = "alpha",
        .instance = "i",
        .zone = "default",
        .state = membership::node_state::serving};
    result->node_names[node_number(1)] = "alpha";
    result->servers["alpha"] = {.name = "alpha", .address = address};
    std::vector<placement::move> moves;
    for (std::size_t n = 0; n < slot::count; ++n)
        moves.push_back({.moved_slot = slot(n), .from = node_number(), .to = node_number(1)});
    result->slots["default"] =
        std::make_shared<placement::slot_table>(must(placement::slot_table().apply_moves(moves)));
    return result;
}

void fill(fleet::system_cache& systems, std::uint64_t count) {
    systems.begin_reading();
    for (std::uint64_t n = 0; n < count; ++n) {
        const auto print = must(pki::pem_fingerprint(key_of(n).public_half().to_pem()));
        system_record row{
            .print = must(fingerprint::parse(print.str())),
            .name = "swarm-" + std::to_string(n),
            .stage = enrolment::accepted,
            .number = system_number(static_cast<std::int64_t>(n) + 1),
            .zone = "default"};
        systems.apply(std::span(&row, 1));
    }
    systems.end_reading();
}

struct answers {
    const fleet::system_cache& systems;
    std::string address;

    async<net::http::response> status(net::http::request request) const {
        CO_TRY(const auto print, fingerprint::parse(request.query("fp").value_or("")));
        co_return net::http::text(200, std::string(1, digit_of(systems.status(print))));
    }
    async<net::http::response> place(net::http::request request) const {
        CO_CHECK_OK(request.agent());
        co_return net::http::text(200, address);
    }
};

// The node under test, in a child process; ends with its parent.
int serve(const std::filesystem::path& directory, std::uint16_t port, std::uint64_t count) {
    runtime::system_clock clock;
    runtime::logger log({.level = runtime::log_level::warning});
    runtime::metrics metrics;
    fleet::system_cache systems;
    fill(systems, count);
    const std::string address = "127.0.0.1:" + std::to_string(port);
    cluster::topology_cache topology;
    topology.publish(one_node_has_all(address));
    cluster::lease_guard lease;
    lease.confirmed(clock.now(), 24h);
    const auto records = must(ledger_sqlite::open({.file = directory / "ledger.db"}));
    dispatch::task_inbox tasks;
    node::agent_connection_server host(
        {.locator = {.systems = systems, .topology = topology, .lease = lease, .clock = clock},
         .ledger = *records,
         .tasks = tasks,
         .log = log,
         .metrics = metrics},
        {.own = {.name = "alpha", .instance = "i"},
         .channels = {
             .gate = {.rate = 100'000}, .strangers = {.interval = 1us, .burst = 1'000'000}}});
    const answers to_agents{systems, address};
    auto routes = std::make_shared<net::http::router>();
    must(routes->add("GET", "/system/status", {.handle = [&to_agents](net::http::request request) {
                         return to_agents.status(std::move(request));
                     }}));
    must(routes->add("GET", "/system/orphan", {.handle = [&to_agents](net::http::request request) {
                         return to_agents.place(std::move(request));
                     }}));
    auto own = must(pki::read_identity(
        must(pki::load_pem(directory / "server.pem")),
        must(pki::load_pem(directory / "server.key")),
        clock.wall()));
    auto tls = must(net::tls_server::create(
        {.identity = std::move(own), .protocols = {"muster/1", "http/1.1"}}));
    const auto front = must(net::http::server::start(
        {.listeners =
             {{.address = {.host = "127.0.0.1", .port = port},
               .tls = std::make_shared<net::rotating_tls_server>(std::move(tls)),
               .service = {.routes = std::move(routes), .channels = host.handler()}}},
         .clock = &clock,
         .limits = {.connections_max = 19'500, .connections_per_address_max = 19'500},
         .loops = 1}));
    asio::io_context control{1};
    asio::co_spawn(control, host.run(), [](const std::exception_ptr&) {});
    control.run();
    return 0;
}

double resident_kilobytes(pid_t process) {
    std::ifstream in("/proc/" + std::to_string(process) + "/status");
    for (std::string word; in >> word;) {
        double kilobytes = 0;
        if (word == "VmRSS:" && in >> kilobytes) return kilobytes;
    }
    throw std::runtime_error("VmRSS not found");
}

// Slab and TCP buffers of the whole machine.
double kernel_kilobytes() {
    double kilobytes = 0;
    std::ifstream memory("/proc/meminfo");
    for (std::string word; memory >> word;) {
        double slab = 0;
        if (word == "Slab:" && memory >> slab) kilobytes += slab;
    }
    std::ifstream sockets("/proc/net/sockstat");
    for (std::string word; sockets >> word;) {
        double pages = 0;
        if (word == "mem" && sockets >> pages) {
            kilobytes += pages * 4;
            break;
        }
    }
    return kilobytes;
}

asio::awaitable<void> handshakes(net::destination destination, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
        const auto stream = must(co_await net::connect(destination));
        stream->close();
    }
}

asio::awaitable<void> attach_one(net::destination destination, std::uint64_t number) {
    const auto stream = must(co_await net::connect(std::move(destination)));
    muster::agent_protocol::Frame hello;
    const auto binding = must(stream->channel_binding());
    hello.mutable_hello()->set_proof(must(pki::create_agent_proof(key_of(number), binding)));
    must(co_await stream->write(muster::agent_protocol::encode(hello)));
    std::array<char, 1024> buffer{};
    muster::agent_protocol::frame_reader frames;
    const auto size = must(co_await stream->read_some(buffer));
    frames.feed(std::string_view(buffer.data(), size));
    const auto answer = must(frames.next());
    if (!answer || !answer->has_welcome())
        throw std::runtime_error("agent not accepted by the node");
    stream->close();
}

asio::awaitable<void> attaches(
    net::destination destination, std::uint64_t first, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) co_await attach_one(destination, first + n);
}

void rethrow(const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
}

// CPU microseconds of the server for each of so many, done by some coroutines at the same time.
template <class Work>
double cost_of(pid_t server, std::size_t count, const Work& work) {
    const double before = cpu_seconds_of(server);
    asio::io_context loop(1);
    const std::size_t share = count / at_once;
    for (std::size_t n = 0; n < at_once; ++n) asio::co_spawn(loop, work(n * share, share), rethrow);
    loop.run();
    return (cpu_seconds_of(server) - before) * 1e6 / static_cast<double>(share * at_once);
}

void measure_attach(pid_t server, const net::destination& destination, std::uint64_t existing) {
    double bare = 0;
    double attach = 0;
    for (int round = 0; round < 3; ++round) {
        bare += cost_of(server, direct_attaches, [&destination](std::uint64_t, std::size_t count) {
            return handshakes(destination, count);
        });
        attach += cost_of(server, direct_attaches, [&](std::uint64_t first, std::size_t count) {
            return attaches(destination, first % existing, count);
        });
    }
    fmt::print(
        "attach: {:.0f} us of server CPU; TLS handshake alone {:.0f} us ({:.0f} %)\n",
        attach / 3,
        bare / 3,
        100 * bare / attach);
    bench::check_at_most(
        {.name = "attach of an agent", .measured = attach / 3, .unit = "us of CPU"}, 800);
}

void wait_for(
    const std::filesystem::path& file, harness::process& swarm, const std::filesystem::path& log) {
    harness::eventually(
        "all agents attached",
        [&] { return std::filesystem::exists(file) || !swarm.running(); },
        300s,
        log);
    if (!std::filesystem::exists(file)) throw std::runtime_error("swarm exited early");
}

int measure(const std::string& self, std::uint64_t count) {
    runtime::system_clock clock;
    const harness::temporary_directory directory("bench-channel");
    const auto ca = must(pki::authority::create("bench", clock.wall()));
    const auto own =
        must(ca.issue({.name = "localhost", .hosts = {"127.0.0.1"}, .now = clock.wall()}));
    must(pki::save_pem(directory.path() / "server.pem", own.chain.front().to_pem()));
    must(pki::save_pem(directory.path() / "server.key", own.key.to_pem()));
    must(pki::save_pem(directory.path() / "ca.pem", ca.certificate().to_pem()));
    const auto port = std::to_string(harness::free_port());
    const auto log = directory.path() / "log";
    harness::process node(
        {.argv = {self, "--serve", directory.path(), port, std::to_string(count)}, .output = log});
    const auto number = static_cast<std::uint16_t>(std::stoi(port));
    harness::eventually("node listening", [&] { return harness::listening(number); }, 120s, log);
    const net::destination destination{
        .address = {.host = "127.0.0.1", .port = number},
        .tls = must(net::tls_client::create(
            {.trusted = net::trusted_authorities{{ca.certificate()}}, .protocols = {"muster/1"}}))};
    measure_attach(node.pid(), destination, count - direct_attaches / at_once);

    const double resident = resident_kilobytes(node.pid());
    const double kernel = kernel_kilobytes();
    const auto flag = directory.path() / "attached";
    harness::process swarm(
        {.argv =
             {MUSTER_SWARM,
              "--server",
              "https://127.0.0.1:" + port,
              "--ca",
              directory.path() / "ca.pem",
              "--count",
              std::to_string(count),
              "--seed",
              seed,
              "--rate",
              "500",
              "--attached-file",
              flag},
         .output = log});
    const double before = cpu_seconds_of(node.pid());
    wait_for(flag, swarm, log);
    const auto agents = static_cast<double>(count);
    const double joined = cpu_seconds_of(node.pid()) - before;
    fmt::print(
        "{} agents attached; status request, placement and attach: {:.0f} us of server CPU each\n",
        count,
        joined * 1e6 / agents);
    const double own_memory = (resident_kilobytes(node.pid()) - resident) / agents;
    const double kernel_memory = (kernel_kilobytes() - kernel) / 2 / agents;
    fmt::print(
        "memory per agent: process {:.1f} KiB, kernel {:.1f} KiB, total {:.1f} KiB\n",
        own_memory,
        kernel_memory,
        own_memory + kernel_memory);
    bench::check_at_most(
        {.name = "memory per agent", .measured = own_memory + kernel_memory, .unit = "KiB"}, 32);

    const double idle = cpu_seconds_of(node.pid());
    std::this_thread::sleep_for(idle_span);
    const double spent = cpu_seconds_of(node.pid()) - idle;
    const double idle_cost =
        spent * 1e6 / agents / std::chrono::duration<double>(idle_span).count();
    fmt::print("idle: {:.2f} us of server CPU per second per agent\n", idle_cost);
    bench::check_at_most(
        {.name = "idle agent", .measured = idle_cost, .unit = "us of CPU per second"}, 5);
    return swarm.stop() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& arguments) {
        if (arguments.size() == 5 && arguments[1] == "--serve")
            return muster::serve(
                arguments[2],
                static_cast<std::uint16_t>(std::stoi(arguments[3])),
                std::stoull(arguments[4]));
        const auto agents =
            arguments.size() > 1 ? std::stoull(arguments[1]) : muster::count_default;
        return muster::measure(arguments[0], std::max<std::uint64_t>(agents, muster::count_min));
    });
}
