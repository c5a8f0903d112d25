// Readings of the API with a million systems known, on a real server: one system over REST and over
// XML-RPC, pages of a list at any depth, and the list of all systems over XML-RPC, whose memory may
// not grow with the fleet. The reference is the smallest answer there is, /system/status.
//
//   bench_api [systems]
#include "adapters/net/http/client.h"
#include "adapters/pki/certificate.h"
#include "adapters/pki/pem_file.h"
#include "base/prng.h"
#include "bench/benchmark_server.h"
#include "bench/measure.h"
#include "runtime/clock.h"
#include "tests/harness/run_sync.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace muster {
namespace {

namespace http = net::http;
namespace json = boost::json;
using bench::must;
using steady = std::chrono::steady_clock;

constexpr int readings = 2'000;
constexpr int page_systems = 1'000;

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    return text.substr(0, text.find_last_not_of("\n ") + 1);
}

double kilobytes_of(pid_t process, const std::string& name) {
    std::ifstream in("/proc/" + std::to_string(process) + "/status");
    std::string word;
    double match = 0;
    while (in >> word) {
        if (word == name + ":" && in >> match) return match;
    }
    throw std::runtime_error("not found: " + name);
}

// From now on the highest memory counts anew.
void forget_peak(pid_t process) {
    std::ofstream("/proc/" + std::to_string(process) + "/clear_refs") << "5";
}

// What a process has run so far. /proc/PID/stat counts in hundredths of a second, which is as much
// as a page may cost.
double cpu_milliseconds_of(pid_t process) {
    clockid_t clockid{};
    timespec now{};
    if (clock_getcpuclockid(process, &clockid) != 0 || clock_gettime(clockid, &now) != 0)
        throw std::runtime_error("cannot read the server's CPU time");
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

class client {
public:
    explicit client(const bench::benchmark_server& server)
        : server_(server), base_("https://127.0.0.1:" + std::to_string(server.port())) {
        key_ = text_of(server.token());
        auto trusted = must(pki::certificate::from_pem(must(pki::load_pem(server.ca()))));
        options_ = {
            .clock = &clock_,
            .tls = must(net::tls_client::create(
                {.trusted = net::trusted_authorities{{std::move(trusted)}},
                 .protocols = {"http/1.1"}})),
            .limits = {.body_bytes_max = std::size_t{1024} * 1024 * 1024}};
    }

    // What each of many requests, on one connection, costs the server in milliseconds of CPU.
    template <class Make>
    double cost_of(int count, Make make) {
        const double before = bench::cpu_seconds_of(server_.pid());
        must(harness::run_sync(send_many(count, make)));
        return (bench::cpu_seconds_of(server_.pid()) - before) * 1e3 / count;
    }

    http::client_response fetch(http::client_request outgoing) {
        return must(harness::run_sync(send_one(std::move(outgoing))));
    }

    http::client_request rest(const std::string& path) const {
        return {.url = base_ + path, .fields = {{"Authorization", "Bearer " + key_}}};
    }
    http::client_request rpc(const std::string& method, const std::string& argument = "") const {
        auto body = "<methodCall><methodName>" + method + "</methodName><params><param><value>"
                    + key_ + "</value></param>";
        if (!argument.empty()) body += "<param><value><i4>" + argument + "</i4></value></param>";
        return {
            .method = "POST", .url = base_ + "/rpc/api", .body = body + "</params></methodCall>"};
    }

private:
    template <class Make>
    async<void> send_many(int count, Make make) {
        http::client http_client(options_);
        for (int index = 0; index < count; ++index) {
            CO_TRY(const auto response, co_await http_client.send(make(index)));
            if (response.status != 200) co_return fail(errc::corrupt, response.body);
        }
        co_return result<void>();
    }
    async<http::client_response> send_one(http::client_request outgoing) {
        http::client http_client(options_);
        co_return co_await http_client.send(std::move(outgoing));
    }

    const bench::benchmark_server& server_;
    std::string base_;
    std::string key_;
    runtime::system_clock clock_;
    http::client::options options_{.clock = nullptr};
};

void measure_single(client& asks, std::uint64_t systems) {
    prng random(1);
    const auto any = [&] {
        return std::to_string(1 + random.below(systems));
    };
    const double least = asks.cost_of(
        readings, [&](int) { return asks.rest("/system/status?fp=" + std::string(64, '0')); });
    const double rest =
        asks.cost_of(readings, [&](int) { return asks.rest("/api/v1/systems/" + any()); });
    const double rpc =
        asks.cost_of(readings, [&](int) { return asks.rpc("system.getDetails", any()); });
    fmt::print(
        "one of {} systems: {:.3f} ms of CPU over REST, {:.3f} ms over XML-RPC; smallest response "
        "{:.3f} ms; ratios {:.1f} and {:.1f}\n",
        systems,
        rest,
        rpc,
        least,
        rest / least,
        rpc / least);
    bench::check_at_most({.name = "one system over REST", .measured = rest, .unit = "ms"}, 1);
    bench::check_at_most({.name = "one system over XML-RPC", .measured = rpc, .unit = "ms"}, 1);
}

double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct asked_page {
    double milliseconds = 0;  // with a new connection
    double cpu = 0;           // of the whole process, whatever else it did meanwhile
    std::string next;
};

asked_page fetch_page(
    client& asks, const bench::benchmark_server& server, const std::string& after) {
    const double before = cpu_milliseconds_of(server.pid());
    const auto start = steady::now();
    const auto response =
        asks.fetch(asks.rest(fmt::format("/api/v1/systems?limit={}{}", page_systems, after)));
    const std::chrono::duration<double, std::milli> took = steady::now() - start;
    if (response.status != 200) throw std::runtime_error(response.body);
    asked_page result{
        .milliseconds = took.count(),
        .cpu = cpu_milliseconds_of(server.pid()) - before,
        .next = {}};
    const auto page = json::parse(response.body);
    const auto* cursor = page.as_object().if_contains("next");
    if (cursor != nullptr && cursor->is_string())
        result.next = "&after=" + std::string(cursor->as_string());
    return result;
}

// Each page to the end, so that the deepest is among them; of each the cheapest of three, because
// what else the process does counts, too.
void measure_pages(client& asks, const bench::benchmark_server& server) {
    constexpr int rounds = 3;
    std::string next;
    std::vector<double> cpu;
    std::vector<double> took;
    do {
        auto best = fetch_page(asks, server, next);
        for (int round = 1; round < rounds; ++round) {
            const auto repeated = fetch_page(asks, server, next);
            best.cpu = std::min(best.cpu, repeated.cpu);
            best.milliseconds = std::min(best.milliseconds, repeated.milliseconds);
        }
        cpu.push_back(best.cpu);
        took.push_back(best.milliseconds);
        next = best.next;
    } while (!next.empty());
    const double slowest = *std::ranges::max_element(took);
    const auto sample_pages = std::min<std::size_t>(cpu.size(), 20);
    fmt::print(
        "{} pages of {} systems, minimum of {} runs each: slowest page {:.1f} ms with a new "
        "connection, {:.1f} ms of CPU; average {:.1f}, first {} {:.1f}, last {} {:.1f}\n",
        cpu.size(),
        page_systems,
        rounds,
        slowest,
        *std::ranges::max_element(cpu),
        mean(cpu),
        sample_pages,
        mean(std::span(cpu).first(sample_pages)),
        sample_pages,
        mean(std::span(cpu).last(sample_pages)));
    bench::check_at_most(
        {.name = "slowest page with a new connection", .measured = slowest, .unit = "ms"}, 20);
}

void measure_list(client& asks, const bench::benchmark_server& server, std::uint64_t systems) {
    forget_peak(server.pid());
    const double before = kilobytes_of(server.pid(), "VmRSS");
    const auto start = steady::now();
    const auto response = asks.fetch(asks.rpc("system.listSystems"));
    const std::chrono::duration<double> took = steady::now() - start;
    const double grown = (kilobytes_of(server.pid(), "VmHWM") - before) / 1024;
    fmt::print(
        "system.listSystems of {} systems: {:.1f} MiB in {:.1f} s; peak memory growth of the "
        "server {:.1f} MiB\n",
        systems,
        static_cast<double>(response.body.size()) / 1024 / 1024,
        took.count(),
        grown);
    bench::check_at_most(
        {.name = fmt::format("memory for a list of {} systems", systems),
         .measured = grown,
         .unit = "MiB"},
        16);
}

int measure(std::uint64_t systems) {
    const bench::benchmark_server server(bench::benchmark_server::ledger::sqlite, systems);
    client asks(server);
    harness::eventually(
        "fleet loaded by the server",
        [&] {
            return asks.fetch(asks.rest("/system/status?fp=" + std::string(64, '0'))).status == 200;
        },
        std::chrono::seconds(300));
    // What is measured is the process's CPU: nothing of what it reads at its start may be among it.
    harness::eventually(
        "facts loaded by the server",
        [&] { return asks.fetch(asks.rest("/api/v1/systems/count?q=os:Debian")).status == 200; },
        std::chrono::seconds(600));
    measure_single(asks, systems);
    measure_pages(asks, server);
    measure_list(asks, server, systems);
    return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const std::vector<std::string>& arguments) {
        return muster::measure(arguments.size() > 1 ? std::stoull(arguments[1]) : 1'000'000);
    });
}
