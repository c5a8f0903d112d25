// Salt's events, followed as a reader does who keeps one number.
#include "tests/fixtures/retention/salt_views_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::retention::salt {
namespace {

TEST_CASE("one cursor over all of Salt's events misses neither jobs nor returns") {
    auto& fixture = shared();
    auto salt = fixture.connect_reader();
    std::string last = salt.query("SELECT coalesce(max(id), 0) FROM salt_events")[0][0];
    std::vector<std::string> observed;
    const auto follow = [&] {
        for (const auto& each :
             salt.query("SELECT id, tag FROM salt_events WHERE id > " + last + " ORDER BY id")) {
            last = each[0];
            observed.push_back(each[1]);
        }
    };
    std::vector<std::string> written;
    for (int turn = 0; turn < 5; ++turn) {
        const auto job = fixture.create_job("test.ping", "{}");
        written.push_back("salt/job/" + to_string(job) + "/new");
        if (turn % 2 == 0) follow();
        fixture.complete(job, 1, "true");
        written.push_back("salt/job/" + to_string(job) + "/ret/web1");
        if (turn % 3 == 0) follow();
        fixture.complete(job, 2, "true");
        written.push_back("salt/job/" + to_string(job) + "/ret/web2");
    }
    follow();
    CHECK(observed == written);

    // A job that changes is no new one.
    const auto cancel = [](job_record job) -> result<job_record> {
        job.stage = job_stage::cancelling;
        return job;
    };
    const auto changed = fixture.create_job("test.ping", "{}");
    follow();
    const auto count = observed.size();
    REQUIRE(run_sync(fixture.jobs->change(changed, cancel)).has_value());
    follow();
    CHECK(observed.size() == count);
}

TEST_CASE("a job and a return in one transaction have numbers of their own") {
    auto& fixture = shared();
    auto salt = fixture.connect_reader();
    const auto earlier = fixture.create_job("test.ping", "{}");
    job_record job;
    job.job = earlier.next();
    job.spec = {.function = "test.ping", .arguments = "{}"};
    table::batch both;
    both.writes.push_back(
        {.table = std::string(jobs::jobs_table), .rows = {jobs::encode_job(job, std::nullopt)}});
    both.writes.push_back(
        {.table = std::string(jobs::tasks_table),
         .rows = {
             jobs::encode_task(fixture.completed_task(earlier, 1)),
             jobs::encode_task(fixture.completed_task(earlier, 2))}});
    REQUIRE(run_sync(fixture.ledger->write(std::move(both))).has_value());

    const auto ids = salt.query(
        "SELECT count(*), count(DISTINCT id), max(id) <= (SELECT last FROM muster_sequences "
        "WHERE table_name = 'tasks') FROM salt_events");
    CHECK(ids[0][0] == ids[0][1]);
    CHECK(ids[0][2] == "t");
}

TEST_CASE("jobs from before there was one order are told behind everything, and none twice") {
    auto& fixture = shared();
    fixture.server.create_database("earlier");
    const auto records = ledger_postgres::open(
        {.address = fixture.server.address("earlier"), .tls = ledger_postgres::tls_mode::off});
    auto before = schema::ledger_schema();
    before.migrations.resize(7);
    REQUIRE(run_sync(records->migrate(before)).has_value());
    jobs::job_store jobs(*records, fixture.clock);
    const auto make = [&] {
        job_record job;
        job.spec = {.function = "test.ping", .arguments = "{}"};
        jobs::job_targets job_targets{.systems = {system_number(1)}, .canaries = {}};
        return run_sync(jobs.create(std::move(job), std::move(job_targets))).value().job;
    };
    std::vector<std::string> tags;
    for (int n = 0; n < 3; ++n) tags.push_back("salt/job/" + to_string(make()) + "/new");

    REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
    tags.push_back("salt/job/" + to_string(make()) + "/new");

    reader salt(fixture.server.address("earlier"));
    std::vector<std::string> observed;
    for (const auto& each : salt.query("SELECT tag FROM salt_events ORDER BY id"))
        observed.push_back(each[0]);
    CHECK(observed == tags);
}

TEST_CASE("what is known of a job's place goes with the job") {
    auto& fixture = shared();
    auto salt = fixture.connect_reader();
    const auto job = fixture.create_job("test.ping", "{}");
    table::batch gone;
    gone.erasures.push_back({.table = std::string(jobs::jobs_table), .keys = {{created_at(job)}}});
    REQUIRE(run_sync(fixture.ledger->write(std::move(gone))).has_value());
    CHECK(
        salt.query("SELECT count(*) FROM muster_salt_new n WHERE NOT EXISTS (SELECT 1 FROM jobs j "
                   "WHERE j.job = n.job)")
        == rows{{"0"}});
}

}  // namespace
}  // namespace muster::retention::salt
