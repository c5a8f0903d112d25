#pragma once

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

#include <functional>
#include <memory>
#include <string>
#include <vector>

// A record of jobs on either engine, and a calendar to make it old.
namespace muster::retention::aging {

namespace json = boost::json;
using namespace std::chrono_literals;
using harness::answer_of;

inline constexpr std::chrono::hours day(24);
// A Thursday, as all spans of seven days begin with.
inline const wall_time first_day = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);

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

inline harness::postgres_server& postgres() {
    static harness::postgres_server one;
    return one;
}

inline std::string fresh_database() {
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

    // One that comes in long after its job was made.
    void return_late(job_id job, std::int64_t system, const std::string& output) {
        task_record task{.job = job, .system = system, .state = task_state::failed};
        task.ended = time.today;
        task.digest = pki::sha256(output);
        task.payload_size = static_cast<std::int64_t>(output.size());
        table::batch change;
        change.writes.push_back(
            {.table = std::string(cluster::tasks_table), .rows = {jobs::encode_task(task)}});
        const jobs::payload whole{
            .digest = pki::sha256(output),
            .size = static_cast<std::int64_t>(output.size()),
            .content = {},
            .plain = output};
        for (auto& each : jobs::writes_of(job, whole)) change.writes.push_back(std::move(each));
        REQUIRE(answer_of(records->write(std::move(change))).has_value());
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

inline void on_both_engines(const std::function<void(world&)>& promise) {
    for (const auto which : {engine::sqlite, engine::postgres}) {
        CAPTURE(static_cast<int>(which));
        world on(which);
        promise(on);
    }
}

inline const jobs::record_span first_week{.from = first_day, .until = first_day + 7 * day};

}  // namespace muster::retention::aging
