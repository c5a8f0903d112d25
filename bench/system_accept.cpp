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
#include "services/fleet/follower.h"
#include "services/fleet/registrar.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/temporary_directory.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace muster {
namespace {

constexpr double seconds_for_100_000 = 10;  // "takes seconds"

using bench::must;
using harness::answer_of;

system_record pooled(std::uint64_t number) {
    prng random(number);
    fingerprint::bytes_type bytes{};
    for (auto& each : bytes) each = static_cast<unsigned char>(random.below(256));
    system_record made{.print = fingerprint(bytes)};
    made.public_key = std::string(32, 'k');
    made.name = fmt::format("web{:07}.munich.acme.example", number);
    made.machine_id = fmt::format("{:032x}", number);
    made.origin = "192.0.2.117";
    made.enrolled = wall_time(std::chrono::hours(24 * 20'000));
    return made;
}

double seconds_since(instant start) {
    return std::chrono::duration<double>(runtime::monotonic_now() - start).count();
}

void measure(const std::string& engine, ledger& records, std::uint64_t systems) {
    const harness::temporary_directory where("bench-accept");
    runtime::system_clock time;
    runtime::logger log({.level = runtime::log_level::error});
    const auto store = must(sqlite_metastore::open(where.path() / "metastore.db", {}));
    memory_bus doorbell(time);
    cluster::announcer bell(doorbell, log);
    fleet::fleet known;
    fleet::registrar keys(
        {.engines = {.metadata = *store, .records = records, .doorbell = doorbell},
         .known = known,
         .bell = bell,
         .time = time});
    must(answer_of(records.migrate(schema::ledger_schema())));

    fleet::registrar::targets all;
    auto start = runtime::monotonic_now();
    std::vector<system_record> page;
    for (std::uint64_t number = 1; number <= systems; ++number) {
        page.push_back(pooled(number));
        all.push_back(page.back().print);
        if (page.size() < fleet::system_table::batch_records_max && number < systems) continue;
        must(answer_of(keys.table().write(std::exchange(page, {}))));
    }
    const auto written = seconds_since(start);
    fleet::follower follows(records, known, time, log, {});
    start = runtime::monotonic_now();
    must(answer_of(follows.catch_up()));
    const auto read = seconds_since(start);
    start = runtime::monotonic_now();
    const auto cpu_before = bench::own_cpu_seconds();
    const auto done = must(answer_of(keys.accept(
        std::move(all),
        {.zone = "default", .tags = {"db"}, .by = "admin"},
        fleet::registrar::newcomers::replace)));
    const auto accepted = seconds_since(start);
    const auto cpu = bench::own_cpu_seconds() - cpu_before;
    if (done.changed != systems) throw std::runtime_error("not all were accepted");
    fmt::print(
        "{}: {} systems accepted in {:.2f} s ({:.2f} s of our CPU); writing their rows took {:.2f} "
        "s, ratio {:.2f}; a "
        "server reads them in {:.2f} s\n",
        engine,
        systems,
        accepted,
        cpu,
        written,
        accepted / written,
        read);
    const auto goal = seconds_for_100_000 * static_cast<double>(systems) / 100'000;
    const auto what = fmt::format("{}: accepting {} systems in one call", engine, systems);
    bench::wanted_at_most({.what = what, .measured = accepted, .unit = "s"}, goal);
}

void run(std::uint64_t systems) {
    {
        const harness::temporary_directory where("bench-accept-ledger");
        const auto records = must(ledger_sqlite::open({.file = where.path() / "ledger.db"}));
        measure("SQLite", *records, systems);
    }
    harness::postgres_server server;
    server.create_database("bench");
    ledger_postgres::settings how;
    how.address = server.address("bench");
    how.tls = ledger_postgres::tls_mode::off;
    how.patience = std::chrono::seconds(30);
    const auto records = ledger_postgres::open(how);
    measure("PostgreSQL", *records, systems);
}

}  // namespace
}  // namespace muster

int main(int count, char** words) {
    return muster::bench::run(count, words, [](const std::vector<std::string>& arguments) {
        muster::run(arguments.size() > 1 ? std::stoull(arguments[1]) : 100'000);
        return 0;
    });
}
