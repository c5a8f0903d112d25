#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "runtime/clock.h"
#include "runtime/metrics.h"
#include "services/jobs/job_store.h"
#include "services/jobs/job_tables.h"
#include "services/jobs/open_job_cache.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;

struct world {
    harness::temporary_directory where{"jobs"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    job_store jobs{*records, clock};

    world() { REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value()); }

    job_record make() {
        return run_sync(
                   jobs.create(
                       {.job = {}, .spec = {.function = "test.ping", .arguments = "{}"}},
                       {.systems = fleet::system_set::range(system_number(1), system_number(100)),
                        .canaries = {}}))
            .value();
    }

    // A job as a newer version of the program might write it.
    void write_unreadable(job_id job) {
        constexpr std::size_t phase_cell = 3;
        auto row = encode_job({.job = job, .spec = {}, .version = 1}, {});
        row.at(phase_cell) = std::string("of a newer version");
        table::batch change;
        change.writes.push_back({.table = std::string(jobs_table), .rows = {row}});
        REQUIRE(run_sync(records->write(std::move(change))).has_value());
    }
    // One whose targets are not on record.
    void write_without_targets(job_id job) {
        table::batch change;
        change.writes.push_back(
            {.table = std::string(jobs_table),
             .rows = {encode_job({.job = job, .spec = {}, .version = 1}, {})}});
        REQUIRE(run_sync(records->write(std::move(change))).has_value());
    }
};

std::string metrics_of(const open_job_cache& open_jobs) {
    runtime::metrics metrics;
    open_jobs.export_to(metrics);
    return metrics.text();
}

job_spec full_spec() {
    job_spec spec{
        .function = "cmd.run",
        .arguments = R"({"argv":["uptime"]})",
        .query = "tag:db",
        .actor = "admin",
        .note = "why not",
        .not_before = wall_time(1'700'000'000'000'001us),
        .expires_after = 3h,
        .timeout = 90s,
        .may_run_again = true,
        .windows = job_spec::window_rule::respect,
        .parents = {job_id(1'600'000'000'000'000)}};
    spec.rollout = {
        .batch = parse_amount("25%").value(),
        .batch_wait = 1s,
        .rate = 12.5,
        .canary = parse_amount("3").value(),
        .canary_wait = 10min,
        .max_failures = parse_amount("1%").value(),
        .retries = 2,
        .retry_wait = 5s,
        .on_return = false,
        .priority = -7,
        .weight = 3};
    spec.replaced_by = {job_id(1'700'000'000'000'007), job_id(1'700'000'000'000'008)};
    spec.replaces = job_id(1'600'000'000'000'001);
    spec.siblings = {job_id(1'600'000'000'000'002)};
    return spec;
}

TEST_CASE("the counts of a job that has ended are kept by the names of states, and read back") {
    world on;
    const auto job = on.make().job;
    CHECK_FALSE(run_sync(on.jobs.find(job)).value().counts.has_value());
    task_counts counts;
    counts[task_state::completed] = 97;
    counts[task_state::failed] = 3;
    const auto end = [](job_record record) -> result<job_record> {
        record.stage = job_stage::done;
        return record;
    };
    REQUIRE(run_sync(on.jobs.change(job, end, counts)).has_value());
    CHECK(run_sync(on.jobs.find(job)).value().counts == counts);

    constexpr std::size_t counts_column = 7;
    CHECK(
        encode_job({}, counts).at(counts_column)
        == table::value(std::string(
            R"({"queued":0,"picked_up":0,"completed":97,"failed":3,"cancelled":0,"expired":0})")));
    CHECK(encode_job({}, std::nullopt).at(counts_column) == table::value(table::null()));
}

TEST_CASE("what was asked for is read back as it was written") {
    CHECK(decode_spec(encode_spec(full_spec())).value() == full_spec());
    CHECK(decode_spec(encode_spec({})).value() == job_spec{});
    CHECK(decode_spec("{}").error().code() == errc::corrupt);
    CHECK(decode_spec("[").error().code() == errc::corrupt);
}

TEST_CASE(
    "a server that knows no windows which limit the start alone reads that it respects them") {
    const job_spec spec{.function = "cmd.run", .windows = job_spec::window_rule::start};
    const auto text = encode_spec(spec);

    CHECK(decode_spec(text).value() == spec);
    CHECK(text.contains(R"("windows":"respect")"));
}

TEST_CASE("a record from before jobs took the place of others can be read") {
    const job_spec alone{.function = "test.ping", .arguments = "{}"};
    const auto text = encode_spec(alone);
    CHECK_FALSE(text.contains("replace"));
    CHECK_FALSE(text.contains("siblings"));
    CHECK(decode_spec(text).value() == alone);
    auto damaged = encode_spec(full_spec());
    damaged.replace(damaged.find(R"("replaces":[")") + 13, 4, "soon");
    CHECK(decode_spec(damaged).error().code() == errc::corrupt);
}

TEST_CASE("a record from before canaries were waited for can be read") {
    auto text = encode_spec(full_spec());
    const std::string added = R"("canary_wait_ms":600000,)";
    REQUIRE(text.contains(added));
    text.erase(text.find(added), added.size());
    auto older = full_spec();
    older.rollout.canary_wait = {};

    CHECK(decode_spec(text).value() == older);
}

TEST_CASE("a job and its targets are one write, and jobs of one microsecond get two ids") {
    world on;
    std::vector<job_record> created;
    for (int n = 0; n < 20; ++n) created.push_back(on.make());
    for (std::size_t n = 1; n < created.size(); ++n) CHECK(created[n].job != created[n - 1].job);
    const auto stored = run_sync(on.jobs.find(created.front().job)).value();
    CHECK(stored.record == created.front());
    CHECK(stored.record.targets == 100);
    CHECK(run_sync(on.jobs.find_targets(created.front().job)).value().systems.size() == 100);
    CHECK(run_sync(on.jobs.find(job_id(5))).error().code() == errc::not_found);
    CHECK(run_sync(on.jobs.list({}, 100)).value().jobs.size() == 20);
}

TEST_CASE("a change is refused by its own rule, and a change that changes nothing is not written") {
    world on;
    const auto created = on.make();
    const auto paused =
        run_sync(on.jobs.change(created.job, [](job_record job) -> result<job_record> {
            job.stage = job_stage::paused;
            return job;
        })).value();
    CHECK(paused.version == 2);
    const auto same =
        run_sync(on.jobs.change(created.job, [](job_record job) -> result<job_record> {
            return job;
        })).value();
    CHECK(same.version == 2);
    CHECK(
        run_sync(on.jobs.change(
                     created.job,
                     [](job_record) -> result<job_record> { return fail(errc::conflict, "no"); }))
            .error()
            .code()
        == errc::conflict);
}

TEST_CASE("the book has the open jobs, those made before it and after, and lets go of ended ones") {
    world on;
    const auto before = on.make();
    open_job_cache open_jobs(on.jobs, on.log, {});
    std::vector<std::string> responses;
    open_jobs.watch([&responses](const open_job& open_job) {
        responses.push_back(std::string(to_string(open_job.record.stage)));
    });
    CHECK_FALSE(open_jobs.is_complete());
    REQUIRE(run_sync(open_jobs.refresh()).has_value());
    CHECK(open_jobs.is_complete());
    REQUIRE(open_jobs.find(before.job) != nullptr);
    CHECK(open_jobs.find(before.job)->targets->systems.size() == 100);

    const auto after = on.make();
    REQUIRE(run_sync(on.jobs.change(before.job, [](job_record job) -> result<job_record> {
                job.stage = job_stage::cancelled;
                return job;
            })).has_value());
    REQUIRE(run_sync(open_jobs.refresh()).has_value());

    CHECK(open_jobs.find(before.job) == nullptr);
    CHECK(open_jobs.find(after.job) != nullptr);
    CHECK(responses == std::vector<std::string>{"open", "open", "cancelled"});
}

TEST_CASE("a job that cannot be read is passed over and counted, and hides no other") {
    world on;
    on.write_unreadable(job_id(1'600'000'000'000'000));
    on.write_without_targets(job_id(1'600'000'000'000'001));
    const auto before = on.make();
    open_job_cache open_jobs(on.jobs, on.log, {.page_rows = 1});

    REQUIRE(run_sync(open_jobs.refresh()).has_value());
    CHECK(open_jobs.is_complete());
    CHECK(open_jobs.find(before.job) != nullptr);
    CHECK(metrics_of(open_jobs).contains(R"(muster_rows_unreadable_total{table="jobs"} 2)"));

    on.write_unreadable(job_id(1'600'000'000'000'002));
    on.write_without_targets(job_id(1'600'000'000'000'003));
    const auto after = on.make();
    REQUIRE(run_sync(open_jobs.refresh()).has_value());
    CHECK(open_jobs.find(after.job) != nullptr);
    CHECK(open_jobs.size() == 2);
    CHECK(metrics_of(open_jobs).contains(R"(muster_rows_unreadable_total{table="jobs"} 4)"));
}

TEST_CASE("a task is read back as it was written, and a payload is found by its digest") {
    world on;
    const auto job = on.make().job;
    task_record task{
        .job = job,
        .system = 7,
        .attempt = 2,
        .state = task_state::failed,
        .picked_up = wall_time(5us),
        .ended = wall_time(9us),
        .exit_code = -9,
        .reason = "killed",
        .digest = std::string(32, '\1'),
        .payload_size = 12,
        .truncated = true,
        .inline_payload = std::string("\0x", 2),
        .node = "muster-1",
        .epoch = 4};
    const payload content{.digest = task.digest, .size = 12, .content = "zzz"};
    table::batch both;
    both.writes.push_back(
        {.table = std::string(tasks_table),
         .rows = {encode_task(task)},
         .existing = table::replace_if_grows{"rank"}});
    for (auto& write : payload_writes(job, content)) both.writes.push_back(std::move(write));
    REQUIRE(run_sync(on.records->write(std::move(both))).has_value());

    CHECK(run_sync(on.jobs.find_task(job, 7)).value()->record == task);
    CHECK_FALSE(run_sync(on.jobs.find_task(job, 8)).value().has_value());
    CHECK(run_sync(on.jobs.read_history(7, {}, 10)).value().tasks.size() == 1);
    CHECK(run_sync(on.jobs.find_payload(job, task.digest)).value()->content == "zzz");
    const auto existing = run_sync(on.jobs.find_digests(job, {task.digest, "other"})).value();
    CHECK(existing == std::set<std::string>{task.digest});
}

}  // namespace
}  // namespace muster::jobs
