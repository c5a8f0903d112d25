#include "services/jobs/job_service.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "runtime/clock.h"
#include "services/jobs/functions.h"
#include "services/jobs/job_tables.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;

TEST_CASE("a list of arguments is the command that is run, an object stays as it is") {
    CHECK(to_argument_object("cmd.run", R"(["uptime"])").value() == R"({"cmd":["uptime"]})");
    CHECK(to_argument_object("cmd.run", R"({"cmd":"uptime"})").value() == R"({"cmd":"uptime"})");
    CHECK(to_argument_object("test.ping", "[]").value() == "{}");
    CHECK(to_argument_object("test.ping", R"(["x"])").error().code() == errc::invalid);
    CHECK(to_argument_object("cmd.run", "uptime").error().code() == errc::invalid);
}

struct emergency_policy final : job_windows {
    bool emergencies = true;

    result<void> check_override(const job_spec& spec) const override {
        if (spec.windows != job_spec::window_rule::override || emergencies) return {};
        return fail(errc::denied, "not now");
    }
};

struct world {
    harness::temporary_directory where{"desk"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    job_store jobs{*records, clock};
    task_state_cache board{jobs, log, {}};
    struct some_attached final : presence::presence_lookup {
        fleet::system_set systems = fleet::system_set::range(system_number(1), system_number(50));
        bool is_attached(system_number system) const override { return systems.contains(system); }
    };
    some_attached presence;
    emergency_policy policy;
    std::atomic<std::size_t> open = 0;
    job_service desk{
        {.jobs = jobs,
         .task_states = board,
         .metastore = *store,
         .presence = presence,
         .windows = &policy,
         .open_jobs = &open},
        {.safe = {.targets_min = 80, .batch = 8}, .open_max = 3}};

    world() {
        REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
        REQUIRE(run_sync(board.refresh()).has_value());
    }

    static job_service::new_job ping(std::int64_t targets) {
        job_service::new_job new_job{
            .spec = {.function = "test.ping", .arguments = "{}", .query = "*", .actor = "admin"},
            .targets = fleet::system_set::range(system_number(1), system_number(targets))};
        return new_job;
    }

    void fail_on(job_id job, std::int64_t system) {
        task_record row;
        row.job = job;
        row.system = system;
        row.state = task_state::failed;
        table::batch batch;
        batch.writes.push_back({.table = std::string(tasks_table), .rows = {encode_task(row)}});
        REQUIRE(run_sync(records->write(std::move(batch))).has_value());
    }
};

const change_origin by_admin{.user = "admin", .note = ""};

TEST_CASE("a function or an argument that no agent knows is refused with what is known") {
    CHECK(check_function("test.ping", "{}").has_value());
    CHECK(check_function("test.pong", "{}").error().detail().contains("cmd.run"));
    CHECK(check_function("cmd.run", R"({"cmd":["ls","-l"],"env":{"A":"b"}})").has_value());
    CHECK(check_function("cmd.run", R"({"cmd":"ls","success_codes":[0,1]})").has_value());
    CHECK(check_function("cmd.run", "{}").error().detail().contains("\"cmd\""));
    CHECK(check_function("cmd.run", R"({"cmd":""})").error().detail().contains("non-empty"));
    CHECK(
        check_function("cmd.run", R"({"cmd":"ls","cwdd":"/"})").error().detail().contains("cwdd"));
    CHECK(
        check_function("cmd.run", R"({"cmd":"ls","cwd":3})").error().detail().contains("a string"));
    CHECK(check_function("cmd.run", "[]").error().code() == errc::invalid);
    CHECK(check_function("cmd.run", "{").error().code() == errc::invalid);
}

TEST_CASE("a job for nobody is refused unless that is allowed") {
    world on;
    auto desired = world::ping(0);
    CHECK(run_sync(on.desk.create(desired)).error().code() == errc::invalid);
    desired.if_empty = job_service::empty_target::is_allowed;
    CHECK(run_sync(on.desk.create(desired)).value().record.targets == 0);
}

TEST_CASE("what policy forbids is neither made nor foreseen nor made again") {
    world on;
    auto desired = world::ping(1);
    desired.spec.windows = job_spec::window_rule::override;
    const auto result = run_sync(on.desk.create(desired)).value().record;
    on.fail_on(result.job, 1);
    on.policy.emergencies = false;

    CHECK(run_sync(on.desk.create(desired)).error().code() == errc::denied);
    CHECK(on.desk.build_plan(desired).error().code() == errc::denied);
    CHECK(run_sync(on.desk.retry(result.job, by_admin)).error().code() == errc::denied);
    desired.spec.windows = job_spec::window_rule::respect;
    CHECK(run_sync(on.desk.create(desired)).has_value());
}

TEST_CASE("what ignored windows before its systems had any respects them when it is made again") {
    world on;
    auto desired = world::ping(1);
    desired.spec.windows = job_spec::window_rule::ignore;
    const auto ping = run_sync(on.desk.create(desired)).value().record;
    desired.spec.function = "system.reboot";
    const auto reboot = run_sync(on.desk.create(desired)).value().record;
    on.fail_on(ping.job, 1);
    on.fail_on(reboot.job, 1);

    const auto rule = [&](job_id job) {
        return run_sync(on.desk.retry(job, by_admin)).value().spec.windows;
    };
    CHECK(rule(ping.job) == job_spec::window_rule::ignore);
    CHECK(rule(reboot.job) == job_spec::window_rule::respect);
}

TEST_CASE("canaries are chosen of those that are there, and go first") {
    world on;
    auto desired = world::ping(70);
    desired.spec.rollout.canary = parse_amount("5").value();
    const auto result = run_sync(on.desk.create(desired)).value();
    CHECK(result.record.phase == job_phase::canaries);
    const auto who = run_sync(on.jobs.find_targets(result.record.job)).value();
    CHECK(who.systems.size() == 70);
    CHECK(who.canaries.size() == 5);
    CHECK(who.canaries.subset_of(on.presence.systems));
}

TEST_CASE("very many targets without a batch get the safe one") {
    world on;
    CHECK_FALSE(on.desk.build_plan(world::ping(79)).value().concurrency.has_value());
    CHECK(on.desk.build_plan(world::ping(100)).value().concurrency.value() == 8);
    CHECK(on.desk.build_plan(world::ping(100)).value().attached_count == 50);
}

TEST_CASE("a job with a parent starts with nobody, and its parent must exist") {
    world on;
    const auto parent = run_sync(on.desk.create(world::ping(2))).value().record.job;
    auto desired = world::ping(2);
    desired.spec.parents = {parent};
    CHECK(run_sync(on.desk.create(desired)).value().record.phase == job_phase::none);
    desired.spec.parents = {job_id(7)};
    CHECK(run_sync(on.desk.create(desired)).error().code() == errc::not_found);
}

TEST_CASE("the same key is the same job, for one person, and never for another request") {
    world on;
    auto desired = world::ping(3);
    desired.idempotency_key = "deploy/1";
    desired.digest = "d1";
    const auto first = run_sync(on.desk.create(desired)).value();
    const auto second = run_sync(on.desk.create(desired)).value();
    CHECK_FALSE(first.existed);
    CHECK(second.existed);
    CHECK(second.record.job == first.record.job);
    desired.digest = "d2";
    CHECK(run_sync(on.desk.create(desired)).error().code() == errc::conflict);
    desired.spec.actor = "eve";
    CHECK(run_sync(on.desk.create(desired)).value().record.job != first.record.job);
    CHECK(run_sync(on.jobs.list({}, 10)).value().jobs.size() == 2);
}

TEST_CASE("a claim whose server died before it made the job becomes that very job") {
    world on;
    job_idempotency_store claims(*on.store, on.clock);
    const auto claimed =
        run_sync(claims.reserve({.user = "admin", .key = "k", .digest = "d"})).value();
    CHECK(claimed.is_new);
    auto desired = world::ping(3);
    desired.idempotency_key = "k";
    desired.digest = "d";
    const auto result = run_sync(on.desk.create(desired)).value();
    CHECK(result.record.job == claimed.job);
    CHECK(run_sync(on.jobs.find(claimed.job)).value().record.targets == 3);
}

TEST_CASE("a claim for an id that somebody else took moves on to the next one") {
    world on;
    job_idempotency_store claims(*on.store, on.clock);
    const auto claimed =
        run_sync(claims.reserve({.user = "admin", .key = "k", .digest = "d"})).value();
    job_record other;
    other.job = claimed.job;
    other.spec = {.function = "cmd.run", .arguments = "{}", .query = "x", .actor = "eve"};
    REQUIRE(run_sync(on.jobs.create_with_id(other, {})).value());
    auto desired = world::ping(3);
    desired.idempotency_key = "k";
    desired.digest = "d";
    const auto result = run_sync(on.desk.create(desired)).value();
    CHECK(result.record.job == claimed.job.next());
    CHECK(run_sync(on.desk.create(desired)).value().record.job == claimed.job.next());
}

TEST_CASE("a job is paused, resumed and cancelled in the record") {
    world on;
    const auto job = run_sync(on.desk.create(world::ping(3))).value().record.job;
    CHECK(run_sync(on.desk.pause(job, by_admin)).value().stage == job_stage::paused);
    CHECK(run_sync(on.desk.resume(job, by_admin)).value().stage == job_stage::open);
    const auto gone = run_sync(on.desk.cancel(job, running_task_policy::kill, by_admin)).value();
    CHECK(gone.stage == job_stage::cancelling);
    CHECK(gone.kill_running);
    CHECK(run_sync(on.jobs.find(job)).value().record == gone);
    CHECK(run_sync(on.desk.resume(job, by_admin)).error().code() == errc::conflict);
}

TEST_CASE("a retry is a new job on the failed systems only") {
    world on;
    const auto job = run_sync(on.desk.create(world::ping(10))).value().record.job;
    CHECK(run_sync(on.desk.retry(job, by_admin)).error().code() == errc::conflict);
    on.fail_on(job, 4);
    on.fail_on(job, 7);
    REQUIRE(run_sync(on.board.refresh()).has_value());
    const auto again = run_sync(on.desk.retry(job, by_admin)).value();
    CHECK(again.job != job);
    CHECK(again.spec.note.contains(to_string(job)));
    CHECK(
        run_sync(on.jobs.find_targets(again.job)).value().systems
        == fleet::system_set{system_number(4), system_number(7)});
}

TEST_CASE("numbers and spans out of bounds are refused by name") {
    auto spec = world::ping(1).spec;
    CHECK(check_spec(spec).has_value());
    spec.timeout = 0s;
    CHECK(check_spec(spec).error().detail().contains("`timeout`"));
    spec = world::ping(1).spec;
    spec.rollout.rate = 0;
    CHECK(check_spec(spec).error().detail().contains("`rate`"));
    spec = world::ping(1).spec;
    spec.rollout.priority = 2'000;
    CHECK(check_spec(spec).error().detail().contains("`priority`"));
}

TEST_CASE("one job more than may be open is refused as overload, until some have ended") {
    world in;
    in.open = 3;

    const auto refused = run_sync(in.desk.create(world::ping(1)));
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::unavailable);
    CHECK(refused.error().detail().starts_with("overloaded: limit of 3 open jobs reached"));
    in.open = 2;

    CHECK(run_sync(in.desk.create(world::ping(1))).has_value());
}

TEST_CASE("who asks again for what was made is told of it under overload too, and nobody else") {
    world in;
    auto desired = world::ping(1);
    desired.idempotency_key = "key";
    const auto result = run_sync(in.desk.create(desired)).value();
    in.open = 3;

    const auto again = run_sync(in.desk.create(desired)).value();
    CHECK(again.existed);
    CHECK(again.record.job == result.record.job);
    desired.idempotency_key = "other key";
    CHECK(run_sync(in.desk.create(desired)).error().code() == errc::unavailable);
    // Asked for a second time it is no longer new, and still too much.
    CHECK(run_sync(in.desk.create(desired)).error().code() == errc::unavailable);
    in.open = 0;

    CHECK_FALSE(run_sync(in.desk.create(desired)).value().record.job == result.record.job);
}

TEST_CASE("jobs that are made together are made once, whatever is wanted the second time") {
    world here;
    auto first = world::ping(2);
    auto second = world::ping(3);
    second.spec.function = "facts.get";
    const job_service::request_key claim{.key = "nightly 1", .digest = "1"};

    const auto together = run_sync(here.desk.create_together({first, second}, claim)).value();
    const auto again = run_sync(here.desk.create_together({second}, claim)).value();
    const auto other =
        run_sync(here.desk.create_together({first}, {.key = "nightly 2", .digest = "2"})).value();

    REQUIRE(together.size() == 2);
    REQUIRE(again.size() == 2);
    for (std::size_t n = 0; n < together.size(); ++n) CHECK(again[n].job == together[n].job);
    CHECK(again[1].spec.function == "facts.get");
    REQUIRE(other.size() == 1);
    CHECK(other.front().job != together.front().job);
    CHECK(run_sync(here.jobs.list({}, 10)).value().jobs.size() == 3);
}

TEST_CASE("of jobs that are made together none is made when one is wrong") {
    world here;
    auto wrong = world::ping(3);
    wrong.spec.function = "test.pong";

    CHECK_FALSE(run_sync(here.desk.create_together({world::ping(2), wrong}, {.key = "k"})));
    CHECK_FALSE(run_sync(here.desk.create_together({}, {.key = "k"})));

    CHECK(run_sync(here.jobs.list({}, 10)).value().jobs.empty());
}

}  // namespace
}  // namespace muster::jobs
