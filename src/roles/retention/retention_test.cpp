#include "adapters/ledger/postgres/postgres_ledger.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/pki/fingerprint.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/retention/archive_line.h"
#include "roles/retention/retention_keeper.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/temporary_directory.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::retention {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using harness::answer_of;

constexpr std::chrono::hours day(24);
// A Thursday, as all spans of seven days begin with.
const wall_time first_day = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);

// A calendar that is turned by hand.
class calendar final : public clock {
public:
    instant now() const override { return instant(); }
    wall_time wall() const override { return today; }
    async<void> sleep_until(instant) override {
        co_return fail(errc::cancelled, "nobody sleeps here");
    }

    wall_time today = first_day;
};

enum class engine { sqlite, postgres };

harness::postgres_server& postgres() {
    static harness::postgres_server one;
    return one;
}

std::string fresh_database() {
    static int count = 0;
    auto name = "retention" + std::to_string(++count);
    postgres().create_database(name);
    return name;
}

struct world {
    harness::temporary_directory where{"retention"};
    calendar time;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records;
    std::unique_ptr<jobs::job_ledger> jobs;

    explicit world(engine which) {
        records = which == engine::sqlite
                      ? ledger_sqlite::open({.file = where.path() / "ledger.db"}).value()
                      : ledger_postgres::open(
                            {.address = postgres().address(fresh_database()),
                             .tls = ledger_postgres::tls_mode::off});
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
        jobs = std::make_unique<jobs::job_ledger>(*records, time);
    }

    // A job made today for ten systems, each of which returned something.
    job_id make(job_stage stage, std::vector<job_id> parents = {}) {
        job_record wanted;
        wanted.spec = {.function = "cmd.run", .arguments = R"({"cmd":"true"})"};
        wanted.spec.parents = std::move(parents);
        wanted.stage = stage;
        jobs::job_audience who{
            .targets = fleet::system_set::range(system_number(1), system_number(10)),
            .canaries = {}};
        const auto job = answer_of(jobs->make(std::move(wanted), std::move(who))).value().job;
        table::batch change;
        auto& tasks = change.writes.emplace_back();
        tasks.table = std::string(cluster::tasks_table);
        for (std::int64_t system = 1; system <= 10; ++system) {
            task_record task{.job = job, .system = system, .state = task_state::completed};
            task.ended = made_at(job);
            task.digest = pki::sha256("output");
            task.payload_size = 6;
            tasks.rows.push_back(jobs::encode_task(task));
        }
        const jobs::payload output{
            .digest = pki::sha256("output"), .size = 6, .content = {}, .plain = "output"};
        for (auto& each : jobs::writes_of(job, output)) change.writes.push_back(std::move(each));
        REQUIRE(answer_of(records->write(std::move(change))).has_value());
        return job;
    }

    std::size_t count(std::string_view table) const {
        table::query question{.table = std::string(table), .limit = 10'000};
        return answer_of(records->read(std::move(question))).value().rows.size();
    }
    std::vector<std::size_t> counts() const {
        std::vector<std::size_t> all;
        for (const auto table :
             {cluster::jobs_table,
              cluster::job_targets_table,
              cluster::tasks_table,
              cluster::payloads_table,
              cluster::payload_digests_table})
            all.push_back(count(table));
        return all;
    }

    std::unique_ptr<retention_keeper> keeper(std::filesystem::path archive = {}) {
        return std::make_unique<retention_keeper>(
            retention_keeper::surroundings{.records = *jobs, .time = time, .log = log},
            retention_keeper::options{.keep = 90 * day, .archive = std::move(archive)});
    }
    std::size_t tend(const std::filesystem::path& archive = {}) {
        return answer_of(keeper(archive)->tend()).value();
    }
    std::filesystem::path archive_directory() const { return where.path() / "archive"; }
    std::string archived(const std::string& file) const {
        std::string text;
        const auto read =
            archive::read_file(archive_directory() / file, [&](std::string_view piece) {
                text += piece;
                return result<void>();
            });
        REQUIRE(read.has_value());
        return text;
    }
};

void on_both_engines(const std::function<void(world&)>& promise) {
    for (const auto which : {engine::sqlite, engine::postgres}) {
        CAPTURE(static_cast<int>(which));
        world on(which);
        promise(on);
    }
}

TEST_CASE("whole weeks go when they are old enough, with all that belongs to them") {
    on_both_engines([](world& on) {
        on.time.today = first_day + 1h;
        on.make(job_stage::done);
        on.make(job_stage::expired);
        on.time.today = first_day + 7 * day;
        const auto kept = on.make(job_stage::done);

        on.time.today = first_day + 97 * day - 1h;
        CHECK(on.tend() == 0);
        CHECK(on.counts() == std::vector<std::size_t>{3, 3, 30, 2, 2});

        on.time.today = first_day + 97 * day;
        CHECK(on.tend() == 1);
        CHECK(on.counts() == std::vector<std::size_t>{1, 1, 10, 1, 1});
        CHECK(answer_of(on.jobs->find(kept)).has_value());

        on.time.today = first_day + 900 * day;
        CHECK(on.tend() == 1);
        CHECK(on.counts() == std::vector<std::size_t>{0, 0, 0, 0, 0});
        CHECK(on.count(cluster::events_table) == 0);
        CHECK(on.tend() == 0);
    });
}

TEST_CASE("a job that is open, and one that it waits for, are never dropped") {
    on_both_engines([](world& on) {
        on.time.today = first_day;
        const auto parent = on.make(job_stage::done);
        on.time.today = first_day + 30 * day;
        const auto open = on.make(job_stage::open, {parent});
        on.time.today = first_day + 900 * day;

        CHECK(on.tend() == 0);
        CHECK(on.counts() == std::vector<std::size_t>{2, 2, 20, 2, 2});

        const auto end = [](job_record job) -> result<job_record> {
            job.stage = job_stage::expired;
            return job;
        };
        REQUIRE(answer_of(on.jobs->change(open, end)).has_value());
        CHECK(on.tend() == 2);
        CHECK(on.counts() == std::vector<std::size_t>{0, 0, 0, 0, 0});
    });
}

TEST_CASE("kept for ever means that nothing goes") {
    world on(engine::sqlite);
    on.make(job_stage::done);
    on.time.today = first_day + 9'000 * day;
    retention_keeper keeper(
        {.records = *on.jobs, .time = on.time, .log = on.log}, {.keep = std::chrono::hours(0)});

    CHECK(answer_of(keeper.tend()).value() == 0);
    CHECK(on.count(cluster::jobs_table) == 1);
}

TEST_CASE("what goes is archived before, line by line, with a manifest") {
    on_both_engines([](world& on) {
        const auto job = on.make(job_stage::done);
        on.time.today = first_day + 100 * day;

        CHECK(on.tend(on.archive_directory()) == 1);

        CHECK(on.counts() == std::vector<std::size_t>{0, 0, 0, 0, 0});
        const auto known = archive::list_manifests(on.archive_directory()).value();
        REQUIRE(known.size() == 1);
        CHECK(known[0].from == first_day);
        CHECK(known[0].until == first_day + 7 * day);
        const auto tasks = on.archived("tasks-2026-01-01.jsonl.zst");
        CHECK(std::ranges::count(tasks, '\n') == 10);
        const auto first = json::parse(tasks.substr(0, tasks.find('\n')));
        CHECK(first.at("job").as_string() == "2026-01-01T00:00:00.000000Z");
        CHECK(first.at("system") == 1);
        CHECK(first.at("state").as_string() == "completed");
        const auto payload = json::parse(on.archived("payloads-2026-01-01.jsonl.zst"));
        CHECK(payload.at("plain").as_string() == "output");
        CHECK(payload.at("digest") == first.at("digest"));
        CHECK(
            json::parse(on.archived("job_targets-2026-01-01.jsonl.zst")).at("targets").as_string()
            == "1-10");
        CHECK(
            json::parse(on.archived("jobs-2026-01-01.jsonl.zst"))
                .at("spec")
                .at("function")
                .as_string()
            == "cmd.run");
        CHECK(to_string(job).starts_with("20260101"));
    });
}

TEST_CASE("what an interrupted drop has left does not take the place of a complete archive") {
    world on(engine::sqlite);
    on.make(job_stage::done);
    on.time.today = first_day + 100 * day;
    archive::archive_store files(on.archive_directory());
    job_archive archive({.records = *on.records, .files = files, .time = on.time});
    const jobs::record_span span{.from = first_day, .until = first_day + 7 * day};
    REQUIRE(answer_of(archive.keep(span)).has_value());
    const auto whole = on.archived("tasks-2026-01-01.jsonl.zst");
    // Here the server is killed, with the tasks dropped and the rest still there.
    REQUIRE(answer_of(on.records->retire(std::string(cluster::tasks_table), span.until)));

    CHECK(on.tend(on.archive_directory()) == 1);

    CHECK(on.archived("tasks-2026-01-01.jsonl.zst") == whole);
    CHECK(on.counts() == std::vector<std::size_t>{0, 0, 0, 0, 0});
}

TEST_CASE("what a crash left of an unfinished archive is written anew") {
    world on(engine::sqlite);
    on.make(job_stage::done);
    on.time.today = first_day + 100 * day;
    archive::archive_store files(on.archive_directory());
    REQUIRE(answer_of(files.begin("tasks", first_day)).has_value());
    REQUIRE(answer_of(files.append([](auto& into) { return into.append("torn"); })).has_value());
    REQUIRE(answer_of(files.end()).has_value());  // and no manifest

    CHECK(on.tend(on.archive_directory()) == 1);
    CHECK_FALSE(on.archived("tasks-2026-01-01.jsonl.zst").contains("torn"));
}

TEST_CASE("nothing is dropped while it cannot be archived") {
    world on(engine::sqlite);
    on.make(job_stage::done);
    on.time.today = first_day + 100 * day;

    const auto done = answer_of(on.keeper("/proc/nowhere/archive")->tend());

    REQUIRE_FALSE(done.has_value());
    CHECK(on.counts() == std::vector<std::size_t>{1, 1, 10, 1, 1});
}

TEST_CASE("an archive of another cluster is not taken for one's own") {
    world one(engine::sqlite);
    world other(engine::sqlite);
    one.make(job_stage::done);
    other.make(job_stage::done);
    one.time.today = other.time.today = first_day + 100 * day;
    CHECK(one.tend(one.archive_directory()) == 1);

    const auto done = answer_of(other.keeper(one.archive_directory())->tend());

    CHECK(done.error().code() == errc::conflict);
    CHECK(other.count(cluster::tasks_table) == 10);
}

}  // namespace
}  // namespace muster::retention
