#include "tests/fixtures/retention/retention_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::retention::aging {
namespace {

TEST_CASE("what goes is archived before, line by line, with a manifest") {
    on_both_engines([](retention_fixture& fixture) {
        const auto job = fixture.create_job(job_stage::done);
        fixture.clock.today = first_day + 100 * day;

        CHECK(fixture.prune(fixture.archive_directory()) == 1);

        CHECK(fixture.counts() == std::vector<std::size_t>{0, 0, 0, 0, 0});
        const auto manifests = archive::list_manifests(fixture.archive_directory()).value();
        REQUIRE(manifests.size() == 1);
        CHECK(manifests[0].from == first_day);
        CHECK(manifests[0].until == first_day + 7 * day);
        const auto tasks = fixture.read_archived("tasks-2026-01-01.jsonl.zst");
        CHECK(std::ranges::count(tasks, '\n') == 10);
        const auto first = json::parse(tasks.substr(0, tasks.find('\n')));
        CHECK(first.at("job").as_string() == "2026-01-01T00:00:00.000000Z");
        CHECK(first.at("system") == 1);
        CHECK(first.at("state").as_string() == "completed");
        const auto payload = json::parse(fixture.read_archived("payloads-2026-01-01.jsonl.zst"));
        CHECK(payload.at("plain").as_string() == "output");
        CHECK(payload.at("digest") == first.at("digest"));
        CHECK(
            json::parse(fixture.read_archived("job_targets-2026-01-01.jsonl.zst"))
                .at("targets")
                .as_string()
            == "1-10");
        CHECK(
            json::parse(fixture.read_archived("jobs-2026-01-01.jsonl.zst"))
                .at("spec")
                .at("function")
                .as_string()
            == "cmd.run");
        CHECK(to_string(job).starts_with("20260101"));
    });
}

TEST_CASE("what an interrupted drop has left does not take the place of a complete archive") {
    retention_fixture fixture(engine::sqlite);
    fixture.create_job(job_stage::done);
    fixture.clock.today = first_day + 100 * day;
    archive::archive_store files(fixture.archive_directory());
    job_archive archive(
        {.ledger = *fixture.ledger,
         .files = files,
         .clock = fixture.clock,
         .server = "muster-1",
         .schema = schema::ledger_schema()});
    const jobs::record_span span{.from = first_day, .until = first_day + 7 * day};
    REQUIRE(run_sync(archive.archive_span(span)).has_value());
    const auto whole = fixture.read_archived("tasks-2026-01-01.jsonl.zst");
    // Here the server is killed, with the tasks dropped and the rest still there.
    REQUIRE(run_sync(fixture.ledger->drop_partitions(std::string(jobs::tasks_table), span.until)));

    CHECK(fixture.prune(fixture.archive_directory()) == 1);

    CHECK(fixture.read_archived("tasks-2026-01-01.jsonl.zst") == whole);
    CHECK(fixture.counts() == std::vector<std::size_t>{0, 0, 0, 0, 0});
}

TEST_CASE("what a crash left of an unfinished archive is written anew") {
    retention_fixture fixture(engine::sqlite);
    fixture.create_job(job_stage::done);
    fixture.clock.today = first_day + 100 * day;
    archive::archive_store files(fixture.archive_directory());
    REQUIRE(run_sync(files.begin({.table = "tasks", .from = first_day})).has_value());
    REQUIRE(run_sync(files.append([](auto& into) { return into.append("torn"); })).has_value());
    REQUIRE(run_sync(files.end()).has_value());  // and no manifest

    CHECK(fixture.prune(fixture.archive_directory()) == 1);
    CHECK_FALSE(fixture.read_archived("tasks-2026-01-01.jsonl.zst").contains("torn"));
}

TEST_CASE("what comes after a span was archived, and while it is dropped, is archived too") {
    on_both_engines([](retention_fixture& fixture) {
        const auto job = fixture.create_job(job_stage::done);
        fixture.clock.today = first_day + 100 * day;
        archive::archive_store files(fixture.archive_directory());
        job_archive archive(
            {.ledger = *fixture.ledger,
             .files = files,
             .clock = fixture.clock,
             .server = "muster-1",
             .schema = schema::ledger_schema()});
        const auto mark = run_sync(archive.archive_span(first_week)).value();
        const auto whole = fixture.read_archived("tasks-2026-01-01.jsonl.zst");
        CHECK(run_sync(archive.archive_span(first_week)).value() == mark);
        for (const auto& each : tables_by_span())
            CHECK(run_sync(archive.confirm(each, first_week, mark)).has_value());

        // Some of it is dropped when a return comes in, and the server is killed.
        for (const auto table : {jobs::tasks_table, jobs::payloads_table})
            REQUIRE(
                run_sync(fixture.ledger->drop_partitions(std::string(table), first_week.until)));
        fixture.return_late(job, 77, "late");
        for (const auto table : {jobs::tasks_table, jobs::payloads_table})
            CHECK(
                run_sync(archive.confirm(std::string(table), first_week, mark)).error().code()
                == errc::conflict);

        CHECK(fixture.prune(fixture.archive_directory()) == 1);

        CHECK(fixture.read_archived("tasks-2026-01-01.jsonl.zst") == whole);
        const auto late = json::parse(fixture.read_archived("tasks-2026-01-01.2.jsonl.zst"));
        CHECK(late.at("system") == 77);
        CHECK(
            json::parse(fixture.read_archived("payloads-2026-01-01.2.jsonl.zst"))
                .at("plain")
                .as_string()
            == "late");
        CHECK(archive::list_manifests(fixture.archive_directory()).value().size() == 2);
        CHECK(fixture.counts() == std::vector<std::size_t>{0, 0, 0, 0, 0});

        // And one for a span that is gone goes with the next that does.
        fixture.clock.today = first_day + 8 * day;
        fixture.create_job(job_stage::done);
        fixture.return_late(job, 78, "very late");
        fixture.clock.today = first_day + 200 * day;
        CHECK(fixture.prune(fixture.archive_directory()) == 1);
        CHECK(fixture.read_archived("tasks-2026-01-08.jsonl.zst").contains(R"("system":78)"));
        CHECK(fixture.count(jobs::tasks_table) == 0);
    });
}

TEST_CASE("another server with a directory of its own does not take what is left for the whole") {
    on_both_engines([](retention_fixture& fixture) {
        const auto job = fixture.create_job(job_stage::done);
        fixture.clock.today = first_day + 100 * day;
        archive::archive_store files(fixture.archive_directory());
        job_archive archive(
            {.ledger = *fixture.ledger,
             .files = files,
             .clock = fixture.clock,
             .server = "muster-1",
             .schema = schema::ledger_schema()});
        REQUIRE(run_sync(archive.archive_span(first_week)).has_value());
        REQUIRE(run_sync(
            fixture.ledger->drop_partitions(std::string(jobs::tasks_table), first_week.until)));
        fixture.return_late(job, 77, "late");

        const auto elsewhere = fixture.directory.path() / "other";
        CHECK(fixture.prune(elsewhere) == 1);

        const auto there = archive::list_manifests(elsewhere).value();
        REQUIRE(there.size() == 1);
        CHECK(there[0].part == 2);
        CHECK_FALSE(std::filesystem::exists(elsewhere / "tasks-2026-01-01.jsonl.zst"));
        const auto here = archive::list_manifests(fixture.archive_directory()).value();
        REQUIRE(here.size() == 1);
        CHECK(here[0].part == 1);
        CHECK(fixture.counts() == std::vector<std::size_t>{0, 0, 0, 0, 0});
    });
}

TEST_CASE("a manifest that a crash kept from being written is made from the ledger's note") {
    retention_fixture fixture(engine::sqlite);
    fixture.create_job(job_stage::done);
    fixture.clock.today = first_day + 100 * day;
    archive::archive_store files(fixture.archive_directory());
    job_archive archive(
        {.ledger = *fixture.ledger,
         .files = files,
         .clock = fixture.clock,
         .server = "muster-1",
         .schema = schema::ledger_schema()});
    REQUIRE(run_sync(archive.archive_span(first_week)).has_value());
    const auto before = archive::list_manifests(fixture.archive_directory()).value();
    std::filesystem::remove(fixture.archive_directory() / archive::manifest_name(first_day));

    CHECK(fixture.prune(fixture.archive_directory()) == 1);
    CHECK(archive::list_manifests(fixture.archive_directory()).value() == before);
}

TEST_CASE("an archive from before there were notes is kept, and what is left becomes its part") {
    retention_fixture fixture(engine::sqlite);
    fixture.create_job(job_stage::done);
    fixture.clock.today = first_day + 100 * day;
    {
        archive::archive_store files(fixture.archive_directory());
        REQUIRE(run_sync(files.begin({.table = "tasks", .from = first_day})).has_value());
        const auto stored = run_sync(files.end()).value();
        const archive::manifest all{
            .database = run_sync(fixture.ledger->identity()).value().database,
            .from = first_week.from,
            .until = first_week.until,
            .created = fixture.clock.today,
            .files = {stored}};
        REQUIRE(run_sync(files.write_manifest(all)).has_value());
    }

    CHECK(fixture.prune(fixture.archive_directory()) == 1);
    CHECK(fixture.read_archived("tasks-2026-01-01.jsonl.zst").empty());
    CHECK(std::ranges::count(fixture.read_archived("tasks-2026-01-01.2.jsonl.zst"), '\n') == 10);
}

TEST_CASE("nothing is dropped while it cannot be archived") {
    retention_fixture fixture(engine::sqlite);
    fixture.create_job(job_stage::done);
    fixture.clock.today = first_day + 100 * day;

    const auto done = run_sync(fixture.create_pruner("/proc/nowhere/archive")->prune());

    REQUIRE_FALSE(done.has_value());
    CHECK(fixture.counts() == std::vector<std::size_t>{1, 1, 10, 1, 1});
}

TEST_CASE("an archive of another cluster is not taken for one's own") {
    retention_fixture one(engine::sqlite);
    retention_fixture other(engine::sqlite);
    one.create_job(job_stage::done);
    other.create_job(job_stage::done);
    one.clock.today = other.clock.today = first_day + 100 * day;
    CHECK(one.prune(one.archive_directory()) == 1);

    const auto done = run_sync(other.create_pruner(one.archive_directory())->prune());

    CHECK(done.error().code() == errc::conflict);
    CHECK(other.count(jobs::tasks_table) == 10);
}

}  // namespace
}  // namespace muster::retention::aging
