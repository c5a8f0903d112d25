// Accepting 100,000 pooled systems in one call, on SQLite and on PostgreSQL, beside writing the
// same rows of that engine once without any rule.
//
//   bench_system_accept [systems]

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/postgres/postgres_ledger.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "base/prng.h"
#include "bench/measure.h"
#include "runtime/clock.h"
#include "services/fleet/system_follower.h"
#include "services/fleet/system_service.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace muster {
namespace {

constexpr double seconds_for_100_000 = 10;  // "takes seconds"

using bench::must;
using harness::run_sync;

system_record pooled(std::uint64_t number) {
    prng random(number);
    fingerprint::bytes_type bytes{};
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random.below(256));
    system_record system{.print = fingerprint(bytes)};
    system.public_key = std::string(32, 'k');
    system.name = fmt::format("web{:07}.munich.acme.example", number);
    system.machine_id = fmt::format("{:032x}", number);
    system.origin = "192.0.2.117";
    system.enrolled = wall_time(std::chrono::hours(24 * 20'000));
    return system;
}

double seconds_since(instant start) {
    return std::chrono::duration<double>(runtime::monotonic_now() - start).count();
}

void measure(const std::string& engine, muster::ledger& ledger, std::uint64_t systems) {
    const harness::temporary_directory directory("bench-accept");
    runtime::system_clock clock;
    runtime::logger log({.level = runtime::log_level::error});
    const auto store = must(sqlite_metastore::open(directory.path() / "metastore.db", {}));
    memory_bus bus(clock);
    cluster::bus_publisher bus_publisher(bus, log);
    fleet::system_cache system_cache;
    fleet::system_service keys(
        {.engines = {.metastore = *store, .ledger = ledger, .bus = bus},
         .systems = system_cache,
         .bus = bus_publisher,
         .clock = clock});
    must(run_sync(ledger.migrate(schema::ledger_schema())));

    fleet::system_service::targets targets;
    auto start = runtime::monotonic_now();
    std::vector<system_record> page;
    for (std::uint64_t number = 1; number <= systems; ++number) {
        page.push_back(pooled(number));
        targets.push_back(page.back().print);
        if (page.size() < fleet::system_store::batch_records_max && number < systems) continue;
        must(run_sync(keys.store().write(std::exchange(page, {}))));
    }
    const auto written = seconds_since(start);
    fleet::system_follower follows(ledger, system_cache, clock, log, {});
    start = runtime::monotonic_now();
    must(run_sync(follows.refresh()));
    const auto read = seconds_since(start);
    start = runtime::monotonic_now();
    const auto cpu_before = bench::own_cpu_seconds();
    const auto done = must(run_sync(keys.accept(
        std::move(targets),
        {.zone = "default", .tags = {"db"}, .accepted_by = "admin"},
        fleet::system_service::duplicate_machine_policy::replace)));
    const auto accepted = seconds_since(start);
    const auto cpu = bench::own_cpu_seconds() - cpu_before;
    if (done.changed != systems) throw std::runtime_error("systems are missing after acceptance");
    fmt::print(
        "{}: {} systems accepted in {:.2f} s ({:.2f} s of client CPU); row writes {:.2f} s, ratio "
        "{:.2f}; load by a server {:.2f} s\n",
        engine,
        systems,
        accepted,
        cpu,
        written,
        accepted / written,
        read);
    const auto goal = seconds_for_100_000 * static_cast<double>(systems) / 100'000;
    const auto goal_name = fmt::format("{}: accepting {} systems in one call", engine, systems);
    bench::check_at_most({.name = goal_name, .measured = accepted, .unit = "s"}, goal);
}

void run(std::uint64_t systems) {
    {
        const harness::temporary_directory directory("bench-accept-ledger");
        const auto ledger = must(ledger_sqlite::open({.file = directory.path() / "ledger.db"}));
        measure("SQLite", *ledger, systems);
    }
    harness::postgres_server server;
    server.create_database("bench");
    ledger_postgres::settings settings;
    settings.address = server.address("bench");
    settings.tls = ledger_postgres::tls_mode::off;
    settings.timeout = std::chrono::seconds(30);
    const auto ledger = ledger_postgres::open(settings);
    measure("PostgreSQL", *ledger, systems);
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const std::vector<std::string>& arguments) {
        muster::run(arguments.size() > 1 ? std::stoull(arguments[1]) : 100'000);
        return 0;
    });
}
