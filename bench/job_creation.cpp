// Making a job for a million systems: from the resolved set to the durable rows, beside making one
// for a single system.
//
//   bench_job_creation [COUNT]     COUNT (1,000,000) targets, half of them at random
#include "adapters/ledger/postgres/postgres_ledger.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "base/prng.h"
#include "bench/measure.h"
#include "runtime/clock.h"
#include "services/jobs/job_store.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster {
namespace {

using bench::must;
using harness::run_sync;
using steady = std::chrono::steady_clock;

constexpr int rounds = 20;
constexpr double limit_ms = 100;

// As a query leaves them: every second number or so.
fleet::system_set scattered(std::uint32_t count) {
    prng random(1);
    fleet::system_set system_set;
    for (std::int64_t index = 0, remaining = count; remaining > 0; ++index) {
        if (random.below(2) == 0) continue;
        system_set.add(system_number(index));
        --remaining;
    }
    return system_set;
}

// The median of making a job for these.
double milliseconds_for(jobs::job_store& store, const fleet::system_set& targets) {
    std::vector<double> took;
    for (int round = 0; round < rounds; ++round) {
        job_record job;
        job.spec = {.function = "test.ping", .arguments = "{}", .query = "*"};
        const auto began = steady::now();
        jobs::job_targets job_targets{.systems = targets, .canaries = {}};
        job_targets.systems.compact();
        must(run_sync(store.create(std::move(job), std::move(job_targets))));
        took.push_back(std::chrono::duration<double, std::milli>(steady::now() - began).count());
    }
    std::ranges::sort(took);
    return took[took.size() / 2];
}

void measure(muster::ledger& ledger, const std::string& name, std::uint32_t count) {
    runtime::system_clock clock;
    must(run_sync(ledger.migrate(schema::ledger_schema())));
    jobs::job_store store(ledger, clock);
    const double value = milliseconds_for(store, fleet::system_set{system_number(1)});
    const double contiguous =
        milliseconds_for(store, fleet::system_set::range(system_number(1), system_number(count)));
    const double random = milliseconds_for(store, scattered(count));
    fmt::print(
        "{}: job for one system {:.2f} ms; for {} contiguous systems {:.2f} ms; for {} random "
        "systems {:.2f} ms, {:.1f} times one system\n",
        name,
        value,
        count,
        contiguous,
        count,
        random,
        random / value);
    bench::check_at_most(
        {.name = name + ", contiguous", .measured = contiguous, .unit = "ms"}, limit_ms);
    bench::check_at_most({.name = name + ", random", .measured = random, .unit = "ms"}, limit_ms);
}

int measure_both(std::uint32_t count) {
    const harness::temporary_directory directory("job-creation");
    const auto embedded = must(ledger_sqlite::open({.file = directory.path() / "ledger.db"}));
    harness::postgres_server server;
    server.create_database("bench");
    const auto remote = ledger_postgres::open(
        {.address = server.address("bench"), .tls = ledger_postgres::tls_mode::off});
    measure(*embedded, "SQLite", count);
    measure(*remote, "PostgreSQL", count);
    return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& arguments) {
        const auto targets = arguments.size() > 1 ? std::stoul(arguments[1]) : 1'000'000UL;
        return muster::measure_both(static_cast<std::uint32_t>(targets));
    });
}
