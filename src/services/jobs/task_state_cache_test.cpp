#include "services/jobs/task_state_cache.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "base/prng.h"
#include "runtime/clock.h"
#include "services/jobs/job_tables.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/forwarding_ledger.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <map>
#include <utility>
#include <vector>

namespace muster::jobs {
namespace {

using harness::run_sync;

// The real ledger, and something that happens after each look at it.
class disturbed_ledger final : public harness::forwarding_ledger {
public:
    using forwarding_ledger::forwarding_ledger;

    std::function<async<void>()> after_read;

    async<table::page> read(table::query question) override {
        auto page = co_await forwarding_ledger::read(std::move(question));
        if (const auto then = std::exchange(after_read, nullptr)) {
            CO_CHECK_OK(co_await then());
            after_read = then;
        }
        co_return page;
    }
};

struct world {
    harness::temporary_directory where{"board"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> real =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    disturbed_ledger records{*real};
    job_store jobs{records, clock};

    world() { REQUIRE(run_sync(real->migrate(schema::ledger_schema())).has_value()); }

    job_id make(std::int64_t targets) {
        return run_sync(jobs.create(
                            {.job = {}, .spec = {.function = "test.ping", .arguments = "{}"}},
                            {.systems =
                                 fleet::system_set::range(system_number(1), system_number(targets)),
                             .canaries = {}}))
            .value()
            .job;
    }

    async<void> put(job_id job, std::int64_t system, task_state state) {
        task_record row;
        row.job = job;
        row.system = system;
        row.state = state;
        table::batch batch;
        batch.writes.push_back(
            {.table = std::string(tasks_table),
             .rows = {encode_task(row)},
             .existing = table::replace_if_grows{"rank"}});
        const auto done = co_await real->write(std::move(batch));
        if (!done) co_return fail(done.error());
        co_return result<void>();
    }
    void note(job_id job, std::int64_t system, task_state state) {
        REQUIRE(run_sync(put(job, system, state)).has_value());
    }
};

TEST_CASE("a job that had begun before the board looked is read whole and then followed") {
    world on;
    const auto job = on.make(10);
    on.note(job, 1, task_state::completed);
    on.note(job, 2, task_state::picked_up);
    task_state_cache task_states(on.jobs, on.log, {});
    REQUIRE(run_sync(task_states.refresh()).has_value());
    CHECK_FALSE(task_states.changes(job).has_value());

    auto observed = run_sync(task_states.read(job)).value();
    CHECK(observed->sets.counts(job_stage::open)[task_state::completed] == 1);
    CHECK(observed->sets.counts(job_stage::open)[task_state::queued] == 8);
    const auto before = task_states.changes(job).value();
    on.note(job, 2, task_state::failed);
    on.note(job, 3, task_state::completed);
    REQUIRE(run_sync(task_states.refresh()).has_value());
    CHECK(task_states.changes(job).value() > before);
    observed = run_sync(task_states.read(job)).value();
    CHECK(observed->sets.counts(job_stage::open)[task_state::completed] == 2);
    CHECK(
        observed->sets.members(task_state::failed, job_stage::open)
        == fleet::system_set{system_number(2)});
    CHECK(observed->sets.counts(job_stage::open).sum() == 10);
}

TEST_CASE("of many jobs those asked for last are remembered, and another is read again") {
    world on;
    std::vector<job_id> job_ids;
    for (int n = 0; n < 5; ++n) job_ids.push_back(on.make(3));
    task_state_cache task_states(on.jobs, on.log, {.jobs_max = 2});
    REQUIRE(run_sync(task_states.refresh()).has_value());
    for (const auto each : job_ids) REQUIRE(run_sync(task_states.read(each)).has_value());
    CHECK(task_states.job_count() == 2);
    CHECK(task_states.peek(job_ids.front()) == nullptr);
    CHECK(task_states.peek(job_ids.back()) != nullptr);
    CHECK(run_sync(task_states.read(job_ids.front())).value()->sets.targets().size() == 3);
}

TEST_CASE("a job that is not there is not found, and asking for it leaves nothing behind") {
    world on;
    task_state_cache task_states(on.jobs, on.log, {});
    REQUIRE(run_sync(task_states.refresh()).has_value());
    CHECK(run_sync(task_states.read(job_id(5))).error().code() == errc::not_found);
    CHECK(task_states.job_count() == 0);
}

TEST_CASE("jobs nobody asks for any more are let go") {
    world on;
    const auto job = on.make(3);
    task_state_cache task_states(on.jobs, on.log, {.evict_after = std::chrono::nanoseconds(0)});
    REQUIRE(run_sync(task_states.refresh()).has_value());
    REQUIRE(run_sync(task_states.read(job)).has_value());
    CHECK(task_states.job_count() == 1);
    REQUIRE(run_sync(task_states.refresh()).has_value());
    CHECK(task_states.job_count() == 0);
}

// While a job is read page by page, its tasks go on and the follower sees some of it before the
// reading does, some after it.
async<void> disturb(
    world* on,
    task_state_cache* task_states,
    job_id job,
    prng* random,
    std::map<std::int64_t, int>* steps) {
    constexpr std::array order{task_state::picked_up, task_state::completed};
    for (std::uint64_t n = random->below(4); n > 0; --n) {
        const auto system = static_cast<std::int64_t>(1 + random->below(12));
        auto& step = (*steps)[system];
        if (step == 2) continue;
        CO_CHECK_OK(co_await on->put(job, system, order.at(static_cast<std::size_t>(step++))));
    }
    if (random->chance(500)) {
        CO_CHECK_OK(co_await task_states->refresh());
    }
    co_return result<void>();
}

TEST_CASE("whatever is written while a job is being read, in the end every task is where it is") {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        world on;
        const auto job = on.make(12);
        task_state_cache task_states(on.jobs, on.log, {.page_rows = 3, .load_rows = 3});
        REQUIRE(run_sync(task_states.refresh()).has_value());
        std::map<std::int64_t, int> steps;
        for (std::int64_t system = 1; system <= 6; ++system) {
            on.note(job, system, task_state::picked_up);
            steps[system] = 1;
        }
        on.records.after_read = [&] {
            return disturb(&on, &task_states, job, &random, &steps);
        };
        REQUIRE(run_sync(task_states.read(job)).has_value());
        on.records.after_read = nullptr;
        REQUIRE(run_sync(task_states.refresh()).has_value());

        const auto observed = run_sync(task_states.read(job)).value();
        fleet::system_set running;
        fleet::system_set completed;
        for (const auto& [system, step] : steps) {
            if (step == 1) running.add(system_number(system));
            if (step == 2) completed.add(system_number(system));
        }
        CHECK(observed->sets.members(task_state::picked_up, job_stage::open) == running);
        CHECK(observed->sets.members(task_state::completed, job_stage::open) == completed);
    }
}

}  // namespace
}  // namespace muster::jobs
