#include "services/jobs/job_supervisor.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "core/jobs/work_kind.h"
#include "runtime/clock.h"
#include "services/jobs/duration_reader.h"
#include "services/jobs/job_tables.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/forwarding_ledger.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;

// The real one, but for the calendar.
class moved_clock final : public clock {
public:
    instant now() const override { return real_.now() + ahead_; }
    wall_time wall() const override { return real_.wall() + ahead_; }
    async<void> sleep_until(instant when) override { return real_.sleep_until(when); }
    void pass(std::chrono::minutes span) { ahead_ += span; }

private:
    mutable runtime::system_clock real_;
    std::chrono::microseconds ahead_{};
};

// The tasks of one job cannot be read.
class picky_ledger final : public harness::forwarding_ledger {
public:
    using forwarding_ledger::forwarding_ledger;

    std::optional<job_id> unreadable;

    async<table::page> read(table::query question) override {
        const bool refused =
            unreadable && question.table == tasks_table && !question.where.empty()
            && question.where.front().values == std::vector<table::value>{created_at(*unreadable)};
        if (refused) co_return fail(errc::unavailable, "not this one");
        co_return co_await forwarding_ledger::read(std::move(question));
    }
};

struct fixture {
    harness::temporary_directory where{"steward"};
    moved_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    picky_ledger seen{*records};
    job_store jobs{seen, clock};
    open_job_cache book{jobs, log, {}};
    task_state_cache board{jobs, log, {}};
    job_supervisor looks{
        {.jobs = jobs, .open_jobs = book, .task_states = board, .clock = clock, .log = log},
        {.grace = 0s}};

    fixture() {
        REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
        REQUIRE(run_sync(board.refresh()).has_value());
    }

    job_record make(job_spec spec, job_phase phase, std::int64_t targets = 2) {
        job_record job;
        job.spec = std::move(spec);
        job.phase = phase;
        job.targets = static_cast<std::uint64_t>(targets);
        job_targets job_targets{
            .systems = fleet::system_set::range(system_number(1), system_number(targets)),
            .canaries = {}};
        if (phase == job_phase::canaries) job_targets.canaries = {system_number(1)};
        return run_sync(jobs.create(std::move(job), std::move(job_targets))).value();
    }

    void end(
        job_id job, std::int64_t system, task_state task_state, std::chrono::minutes took = 1min) {
        task_record row;
        row.job = job;
        row.system = system;
        row.state = task_state;
        row.ended = clock.wall();
        row.picked_up = *row.ended - took;
        table::batch batch;
        batch.writes.push_back(
            {.table = std::string(tasks_table),
             .rows = {encode_task(row)},
             .existing = table::replace_if_grows{"rank"}});
        REQUIRE(run_sync(records->write(std::move(batch))).has_value());
    }

    job_record after_a_look(job_id job) {
        REQUIRE(run_sync(book.refresh()).has_value());
        REQUIRE(run_sync(board.refresh()).has_value());
        REQUIRE(run_sync(looks.run_once()).has_value());
        return run_sync(jobs.find(job)).value().record;
    }
};

job_spec uptime() {
    return {.function = "cmd.run", .arguments = R"({"cmd":"uptime"})", .actor = "admin"};
}

TEST_CASE("a job starts when its parents completed everywhere") {
    fixture on;
    const auto parent = on.make(uptime(), job_phase::all).job;
    auto spec = uptime();
    spec.parents = {parent};
    const auto child = on.make(spec, job_phase::none).job;
    on.end(parent, 1, task_state::completed);
    CHECK(on.after_a_look(child).phase == job_phase::none);

    on.end(parent, 2, task_state::completed);
    CHECK(on.after_a_look(parent).stage == job_stage::done);

    CHECK(on.after_a_look(child).phase == job_phase::all);
}

TEST_CASE("a parent that failed somewhere blocks its child for ever, and it is said which one") {
    fixture on;
    const auto parent = on.make(uptime(), job_phase::all).job;
    auto spec = uptime();
    spec.parents = {parent};
    const auto child = on.make(spec, job_phase::none).job;
    on.end(parent, 1, task_state::completed);
    on.end(parent, 2, task_state::failed);
    CHECK(on.after_a_look(parent).stage == job_stage::done);

    const auto blocked = on.after_a_look(child);

    CHECK(blocked.stage == job_stage::halted);
    CHECK(blocked.reason.contains(to_string(parent)));
    CHECK(blocked.phase == job_phase::none);
}

TEST_CASE("a job whose parent goes on as others waits for those") {
    for (const auto how : {task_state::completed, task_state::failed}) {
        fixture on;
        auto spec = uptime();
        spec.not_before = on.clock.wall() + 1h;
        const auto old = on.make(spec, job_phase::all);
        spec.parents = {old.job};
        spec.not_before.reset();
        const auto child = on.make(spec, job_phase::none).job;
        job_with_targets heir{
            .record = old, .targets = {.systems = {system_number(1)}, .canaries = {}}};
        heir.record.spec.replaces = old.job;
        heir.record.phase = job_phase::none;
        auto other = heir;
        other.targets.systems = {system_number(2)};
        const auto heirs = run_sync(on.jobs.create_replacements({heir, other})).value();

        for (int look = 0; look < 4; ++look) on.after_a_look(child);
        CHECK(run_sync(on.jobs.find(old.job)).value().record.stage == job_stage::cancelled);
        on.end(heirs[0].job, 1, task_state::completed);
        CHECK(on.after_a_look(heirs[0].job).stage == job_stage::done);
        CHECK(on.after_a_look(child).phase == job_phase::none);
        CHECK(on.after_a_look(child).stage == job_stage::open);

        on.end(heirs[1].job, 2, how);
        on.after_a_look(heirs[1].job);
        const auto after = on.after_a_look(child);
        const bool well = how == task_state::completed;
        CHECK(after.phase == (well ? job_phase::all : job_phase::none));
        CHECK(after.stage == (well ? job_stage::open : job_stage::halted));
        CHECK((well || after.reason.contains(to_string(heirs[1].job))));
    }
}

TEST_CASE("what a re-planned job began before it was cancelled is not done again") {
    fixture on;
    auto spec = uptime();
    spec.not_before = on.clock.wall() + 1h;
    const auto old = on.make(spec, job_phase::all);
    job_with_targets heir{
        .record = old, .targets = {.systems = {system_number(1)}, .canaries = {}}};
    heir.record.spec.replaces = old.job;
    heir.record.phase = job_phase::none;
    auto other = heir;
    other.targets.systems = {system_number(2)};
    const auto heirs = run_sync(on.jobs.create_replacements({heir, other})).value();
    on.end(old.job, 1, task_state::completed);  // by a node whose clock is hours ahead

    for (int look = 0; look < 4; ++look) on.after_a_look(old.job);

    CHECK(on.after_a_look(heirs[0].job).stage == job_stage::cancelled);
    CHECK(on.after_a_look(heirs[1].job).phase == job_phase::all);
}

TEST_CASE("successors that got the id of another job with one of them are given up") {
    fixture on;
    auto spec = uptime();
    spec.not_before = on.clock.wall() + 1h;
    const auto old = on.make(spec, job_phase::all);
    job_with_targets heir{
        .record = old, .targets = {.systems = {system_number(1)}, .canaries = {}}};
    heir.record.spec.replaces = old.job;
    heir.record.phase = job_phase::none;
    auto lonely = heir.record;
    lonely.job = old.job.next().next();
    lonely.spec.siblings = {lonely.job, old.job};  // where its sibling should be is the old job
    REQUIRE(run_sync(on.jobs.create_with_id(lonely, heir.targets)).value());

    const auto given_up = on.after_a_look(lonely.job);

    CHECK(given_up.stage == job_stage::cancelled);
    CHECK(run_sync(on.jobs.find(old.job)).value().record == old);
}

TEST_CASE("the rest starts when the canaries succeeded and their wait is over") {
    fixture on;
    auto spec = uptime();
    spec.rollout.canary = amount{.value = 1};
    spec.rollout.canary_wait = 10min;
    const auto job = on.make(spec, job_phase::canaries).job;
    CHECK(on.after_a_look(job).phase == job_phase::canaries);
    on.end(job, 1, task_state::completed);
    CHECK(on.after_a_look(job).phase == job_phase::canaries);

    on.clock.pass(9min);
    CHECK(on.after_a_look(job).phase == job_phase::canaries);
    on.clock.pass(2min);

    CHECK(on.after_a_look(job).phase == job_phase::all);
}

TEST_CASE("how long work takes is read from what ended well of the same work") {
    fixture on;
    const auto job = on.make(uptime(), job_phase::all, 8).job;
    auto other = uptime();
    other.arguments = R"({"cmd":"sleep 1"})";
    const auto elsewhere = on.make(other, job_phase::all).job;
    for (std::int64_t system = 1; system <= 6; ++system)
        on.end(job, system, task_state::completed, 50min);
    on.end(job, 7, task_state::failed, 1min);
    on.end(elsewhere, 1, task_state::completed, 1min);
    duration_reader reader(on.jobs, on.clock, {});

    const auto measured = run_sync(reader.measure(uptime())).value();

    CHECK(measured.samples == 6);
    CHECK(measured.mean == doctest::Approx(3000));
    CHECK(measured.deviation == doctest::Approx(0));
    auto unknown = uptime();
    unknown.function = "script.run";
    CHECK(run_sync(reader.measure(unknown)).value().samples == 0);
}

TEST_CASE("work of the same function with other arguments is of another kind") {
    auto other = uptime();
    other.arguments += " ";
    CHECK(work_kind(uptime()) == work_kind(uptime()));
    CHECK(work_kind(uptime()) != work_kind(other));
}

TEST_CASE("a job that cannot be read keeps no other one from its end") {
    fixture on;
    const auto before = on.make(uptime(), job_phase::all).job;
    const auto unreadable = on.make(uptime(), job_phase::all).job;
    const auto behind = on.make(uptime(), job_phase::all).job;
    for (const auto job : {before, unreadable, behind})
        for (const auto system : {1, 2}) on.end(job, system, task_state::completed);
    on.seen.unreadable = unreadable;
    REQUIRE(run_sync(on.book.refresh()).has_value());
    REQUIRE(run_sync(on.board.refresh()).has_value());

    for (int round = 0; round < 2; ++round)
        CHECK(run_sync(on.looks.run_once()).error().code() == errc::unavailable);

    CHECK(run_sync(on.jobs.find(before)).value().record.stage == job_stage::done);
    CHECK(run_sync(on.jobs.find(behind)).value().record.stage == job_stage::done);
    on.seen.unreadable.reset();
    CHECK(on.after_a_look(unreadable).stage == job_stage::done);
}

}  // namespace
}  // namespace muster::jobs
