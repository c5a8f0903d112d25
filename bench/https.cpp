// What one-byte HTTPS answers and idle TLS connections cost us, beside nginx in the same run.
//
//   bench_https            measures and prints both, with the ratio
//
// The servers are processes of their own with one event loop each; CPU time is what the kernel
// booked on them. The load comes from this process.
#include "adapters/net/connect.h"
#include "adapters/net/http/server.h"
#include "adapters/pki/authority.h"
#include "adapters/pki/pem_file.h"
#include "bench/measure.h"
#include "runtime/clock.h"
#include "tests/harness/free_port.h"
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <array>
#include <csignal>
#include <fstream>
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

constexpr std::size_t load_connections = 64;
constexpr std::size_t idle_connections = 10'000;
constexpr std::size_t connecting_at_once = 16;
constexpr std::size_t requests_a_connection = 500;
constexpr int rounds = 3;

async<net::http::response> one_byte(net::http::request) {
    co_return net::http::text(200, "x");
}

// The server under test, in a child process; ends with its parent.
int serve(const std::filesystem::path& directory, std::uint16_t port) {
    runtime::system_clock clock;
    auto own = must(pki::read_identity(
        must(pki::load_pem(directory / "server.pem")),
        must(pki::load_pem(directory / "server.key")),
        clock.wall()));
    auto routes = std::make_shared<net::http::router>();
    must(routes->add("GET", "/", {.handle = one_byte}));
    std::vector<net::http::listener> listeners;
    listeners.push_back(
        {.address = {.host = "127.0.0.1", .port = port},
         .tls = std::make_shared<net::rotating_tls_server>(must(
             net::tls_server::create({.identity = std::move(own), .protocols = {"http/1.1"}}))),
         .service = {.routes = std::move(routes)}});
    const auto running = must(net::http::server::start(
        {.listeners = std::move(listeners),
         .clock = &clock,
         .limits =
             {.connections_per_address_max = 15'000, .first_byte_time = 10min, .idle_time = 10min},
         .loops = 1}));
    ::pause();
    return 0;
}

std::string nginx_configuration(const std::filesystem::path& directory, std::uint16_t port) {
    return fmt::format(
        "daemon off; master_process off; worker_processes 1;\n"
        "pid {0}/nginx.pid; error_log {0}/nginx.log;\n"
        "events {{ worker_connections 15000; }}\n"
        "http {{ access_log off; keepalive_requests 1000000000; keepalive_timeout 600s; "
        "client_header_timeout 600s;\n"
        "  client_body_temp_path {0}; proxy_temp_path {0}; fastcgi_temp_path {0};\n"
        "  uwsgi_temp_path {0}; scgi_temp_path {0};\n"
        "  server {{ listen 127.0.0.1:{1} ssl; ssl_certificate {0}/server.pem;\n"
        "    ssl_certificate_key {0}/server.key; ssl_protocols TLSv1.3; ssl_session_cache off;\n"
        "    location / {{ default_type text/plain; return 200 \"x\"; }} }} }}\n",
        directory.string(),
        port);
}

double anonymous_kilobytes(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/status");
    for (std::string word; file >> word;) {
        double kilobytes = 0;
        if (word == "RssAnon:" && file >> kilobytes) return kilobytes;
    }
    throw std::runtime_error("RssAnon not found");
}

asio::awaitable<void> send_request(net::stream* stream) {
    must(co_await stream->write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    std::array<char, 4096> buffer{};
    std::string answer;
    while (!answer.ends_with("\r\n\r\nx")) {
        const auto size = must(co_await stream->read_some(buffer));
        if (size == 0) throw std::runtime_error("connection closed by the server");
        answer.append(buffer.data(), size);
    }
}

asio::awaitable<void> send_requests(net::stream* stream, std::size_t times) {
    for (std::size_t n = 0; n < times; ++n) co_await send_request(stream);
}

// The load's own event loop.
asio::io_context& the_loop() {
    static asio::io_context loop(1);
    return loop;
}

void run_all(asio::io_context& loop) {
    loop.restart();
    loop.run();
}

void rethrow(const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
}

asio::awaitable<void> open_many(
    net::destination destination,
    std::size_t count,
    std::vector<std::unique_ptr<net::stream>>* opened) {
    for (std::size_t n = 0; n < count; ++n) {
        auto stream = must(co_await net::connect(destination));
        co_await send_request(stream.get());
        opened->push_back(std::move(stream));
    }
}

using connections = std::vector<std::unique_ptr<net::stream>>;

connections open_all(const net::destination& destination, std::size_t count) {
    asio::io_context& loop = the_loop();
    connections opened;
    for (std::size_t n = 0; n < connecting_at_once; ++n)
        asio::co_spawn(loop, open_many(destination, count / connecting_at_once, &opened), rethrow);
    run_all(loop);
    return opened;
}

// CPU microseconds of the server's process a request, on connections that are open already.
double cost_of_request(pid_t server, const net::destination& destination) {
    const connections opened = open_all(destination, load_connections);
    const double before = cpu_seconds_of(server);
    for (const auto& connection : opened)
        asio::co_spawn(the_loop(), send_requests(connection.get(), requests_a_connection), rethrow);
    run_all(the_loop());
    const double spent = cpu_seconds_of(server) - before;
    return spent * 1e6 / static_cast<double>(opened.size() * requests_a_connection);
}

// Kilobytes of the server's process for a connection that has been answered and is idle now.
double cost_of_idle_connection(pid_t server, const net::destination& destination) {
    const double before = anonymous_kilobytes(server);
    const connections opened = open_all(destination, idle_connections);
    const double after = anonymous_kilobytes(server);
    std::size_t closed = 0;
    std::array<char, 1> byte{};
    for (const auto& connection : opened) {
        if (connection->try_read(byte).state != net::progress::wants_read) ++closed;
    }
    if (closed > 0) {
        throw std::runtime_error(
            fmt::format("{} closed {} idle connections", to_string(destination.address), closed));
    }
    return (after - before) / static_cast<double>(opened.size());
}

void write_identity(const std::filesystem::path& directory, const pki::identity& own) {
    must(pki::save_pem(directory / "server.pem", own.chain.front().to_pem()));
    must(pki::save_pem(directory / "server.key", own.key.to_pem()));
}

int measure(const std::string& self) {
    runtime::system_clock clock;
    const harness::temporary_directory directory("bench-https");
    const auto ca = must(pki::authority::create("bench", clock.wall()));
    write_identity(
        directory.path(),
        must(ca.issue({.name = "localhost", .hosts = {"127.0.0.1"}, .now = clock.wall()})));
    const auto our_port = harness::free_port();
    const auto nginx_port = harness::free_port();
    std::ofstream(directory.path() / "nginx.conf")
        << nginx_configuration(directory.path(), nginx_port);
    const auto log = directory.path() / "log";
    harness::process ours(
        {.argv = {self, "--serve", directory.path(), std::to_string(our_port)}, .output = log});
    harness::process nginx(
        {.argv = {"/usr/sbin/nginx", "-c", directory.path() / "nginx.conf"}, .output = log});
    harness::eventually("muster listening", [&] { return harness::listening(our_port); }, 10s, log);
    harness::eventually("nginx", [&] { return harness::listening(nginx_port); }, 10s, log);
    const auto tls = must(net::tls_client::create(
        {.trusted = net::trusted_authorities{{ca.certificate()}}, .protocols = {"http/1.1"}}));
    const net::destination to_ours{.address = {.host = "127.0.0.1", .port = our_port}, .tls = tls};
    const net::destination to_nginx{
        .address = {.host = "127.0.0.1", .port = nginx_port}, .tls = tls};

    double our_cost = 0;
    double nginx_cost = 0;
    for (int round = 0; round < rounds; ++round) {
        our_cost += cost_of_request(ours.pid(), to_ours);
        nginx_cost += cost_of_request(nginx.pid(), to_nginx);
    }
    fmt::print(
        "one-byte HTTPS response, {} connections: muster {:.2f} us, nginx {:.2f} us of CPU per "
        "request; ratio {:.2f}\n",
        load_connections,
        our_cost / rounds,
        nginx_cost / rounds,
        our_cost / nginx_cost);
    bench::check_at_most(
        {.name = "one-byte HTTPS response relative to nginx", .measured = our_cost / nginx_cost},
        1.5);
    const double our_idle = cost_of_idle_connection(ours.pid(), to_ours);
    const double nginx_idle = cost_of_idle_connection(nginx.pid(), to_nginx);
    fmt::print(
        "{} idle TLS connections: muster {:.1f} KB, nginx {:.1f} KB each\n",
        idle_connections,
        our_idle,
        nginx_idle);
    bench::check_at_most({.name = "idle TLS connection", .measured = our_idle, .unit = "KB"}, 20);
    return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& arguments) {
        if (arguments.size() == 4 && arguments[1] == "--serve")
            return muster::serve(arguments[2], static_cast<std::uint16_t>(std::stoi(arguments[3])));
        return muster::measure(arguments[0]);
    });
}
