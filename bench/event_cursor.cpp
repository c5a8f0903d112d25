// Following returns by cursor, as third parties do: what a page costs as the record grows, and what
// a look costs when there is nothing new.
//
//   bench_event_cursor [COUNT]     COUNT (200,000) returns, and a tenth of them
#include "adapters/ledger/postgres/postgres_ledger.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "bench/measure.h"
#include "runtime/clock.h"
#include "services/events/event_log.h"
#include "services/jobs/job_tables.h"
#include "services/jobs/task_row.h"
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
#include <utility>

namespace muster {
namespace {

using bench::must;
using harness::run_sync;
using steady = std::chrono::steady_clock;

constexpr std::int64_t rows_a_batch = 5'000;
constexpr std::size_t page_items = 1'000;
constexpr int idle_looks = 200;

double seconds_since(steady::time_point began) {
    return std::chrono::duration<double>(steady::now() - began).count();
}

void add_returns(muster::ledger& ledger, job_id job, std::int64_t first, std::int64_t count) {
    while (count > 0) {
        table::write rows{
            .table = std::string(jobs::tasks_table),
            .rows = {},
            .existing = table::replace_if_grows{"rank"}};
        const auto batch_rows = std::min(count, rows_a_batch);
        for (std::int64_t n = 0; n < batch_rows; ++n) {
            task_record task;
            task.job = job;
            task.system = first + n;
            task.state = task_state::completed;
            task.picked_up = created_at(job);
            task.ended = created_at(job);
            task.digest = std::string(32, 'd');
            task.node = "n1";
            rows.rows.push_back(jobs::encode_task(task));
        }
        table::batch batch;
        batch.writes.push_back(std::move(rows));
        must(run_sync(ledger.write(std::move(batch))));
        first += batch_rows;
        count -= batch_rows;
    }
}

struct pace {
    double returns_a_second = 0;
    double idle_look_ms = 0;
};

pace follow(events::event_log& log, std::int64_t expected) {
    const auto desired = must(events::filter_of("*"));
    events::event_position at;
    std::int64_t observed = 0;
    const auto began = steady::now();
    for (bool more = true; more;) {
        const auto page = must(run_sync(log.read(desired, at, page_items)));
        observed += static_cast<std::int64_t>(page.items.size());
        at = page.next;
        more = page.more;
    }
    pace measured{.returns_a_second = static_cast<double>(observed) / seconds_since(began)};
    if (observed != expected) must(result<void>(fail(errc::corrupt, "results are missing")));
    const auto idle = steady::now();
    for (int n = 0; n < idle_looks; ++n) must(run_sync(log.read(desired, at, page_items)));
    measured.idle_look_ms = seconds_since(idle) * 1'000 / idle_looks;
    return measured;
}

void measure(muster::ledger& ledger, const std::string& name, std::int64_t count) {
    runtime::system_clock clock;
    must(run_sync(ledger.migrate(schema::ledger_schema())));
    events::event_log log(ledger, clock);
    const job_id job = job_id_at(clock.wall());
    add_returns(ledger, job, 1, count / 10);
    const auto few = follow(log, count / 10);
    add_returns(ledger, job, 1 + count / 10, count - count / 10);
    const auto many = follow(log, count);
    fmt::print(
        "{}: {} results: {:.0f} per second by cursor; {} results: {:.0f} ({:.2f} times the cost); "
        "poll without new results {:.2f} ms\n",
        name,
        count / 10,
        few.returns_a_second,
        count,
        many.returns_a_second,
        few.returns_a_second / many.returns_a_second,
        many.idle_look_ms);
}

int measure_both(std::int64_t count) {
    const harness::temporary_directory directory("event-cursor");
    const auto embedded = must(ledger_sqlite::open({.file = directory.path() / "ledger.db"}));
    measure(*embedded, "SQLite", count);
    harness::postgres_server server;
    server.create_database("events");
    const auto remote = ledger_postgres::open(
        {.address = server.address("events"), .tls = ledger_postgres::tls_mode::off});
    measure(*remote, "PostgreSQL", count);
    return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& arguments) {
        return muster::measure_both(arguments.size() > 1 ? std::stoll(arguments[1]) : 200'000);
    });
}
