#include "apps/muster/server/scheduled_jobs.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/os/zone_files.h"
#include "runtime/clock.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <vector>

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using harness::answer_of;
using scheduling::schedule_runner;
using windows::window_book;

// Two systems, of which `frozen` ones have a maintenance schedule without any window.
struct world {
    harness::temporary_directory where{"scheduled"};
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    os::zone_files zones;
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    window_book windows{
        {.records = *records,
         .time = time,
         .zones = [this](std::string_view name) { return zones.find(name); },
         .log = log}};
    jobs::job_ledger jobs{*records, time};
    jobs::task_board board{jobs, log, {}};
    jobs::job_desk desk{
        {.records = jobs,
         .board = board,
         .store = *store,
         .attached =
             [](const fleet::system_set& among) {
                 return among;
             }},
        {}};
    events::event_log events{*records, time};
    fleet::system_set meant{system_number(1), system_number(2)};
    configuration::record_book config_records{*records, time, log};
    configuration::file_book files{*records, time};
    fleet::profile_book profiles{*records, time, log};
    configuration::channel_book channels{
        {.numbers = *store,
         .records = config_records,
         .files = files,
         .profiles = profiles,
         .time = time}};
    configuration::deployment deployed{
        {.channels = channels,
         .files = files,
         .profiles = profiles,
         .members_of = [](const std::string&) -> result<fleet::system_set> {
             return fleet::system_set();
         },
         .has_label =
             [](system_number, const std::string&) {
                 return false;
             }}};
    scheduled_jobs scheduled{
        {.desk = desk,
         .windows = windows,
         .events = events,
         .time = time,
         .log = log,
         .resolve = [this](const std::string&) -> result<fleet::system_set> { return meant; },
         .deployed = deployed}};

    explicit world(fleet::system_set frozen) {
        REQUIRE(answer_of(records->migrate(schema::ledger_schema())).has_value());
        REQUIRE(answer_of(config_records.catch_up()));
        REQUIRE(answer_of(windows.put_maintenance(
            "frozen", {.type = "none", .calendar = {}}, window_book::writing::new_one, "admin")));
        REQUIRE(answer_of(windows.assign("frozen", std::move(frozen), "admin")));
    }
    schedule_runner::run run() const {
        windows::stored_schedule what;
        what.query = "*";
        what.function = "test.ping";
        what.arguments = "[]";
        return {.name = "nightly", .what = what, .due = {.planned = time.wall(), .late = false}};
    }
    void put_file(const std::string& label, std::string content) {
        const auto of = channels.find(label).value();
        configuration::file_book::new_revision wanted{
            .how = {.owner = "root"}, .content = std::move(content)};
        REQUIRE(answer_of(
            files.put(configuration::held_by_channel(of.number), "/etc/motd", std::move(wanted))));
    }
    // A channel with one file, which the system has.
    void give_file(system_number whom, const std::string& label) {
        REQUIRE(answer_of(channels.add({.label = label, .name = label}, "ada")));
        put_file(label, label);
        const auto have = [label](fleet::system_profile& one) -> result<void> {
            one.config_channels = {label};
            return {};
        };
        REQUIRE(answer_of(profiles.change({whom}, have, "ada")));
    }
    std::vector<event_record> told() {
        const auto wanted = events::filter_of("schedule.*").value();
        const auto page = answer_of(events.read(wanted, {}, 10)).value();
        std::vector<event_record> all;
        for (const auto& each : page.items) all.push_back(each.event);
        return all;
    }
};

TEST_CASE("a recurring run that nobody may be changed by is skipped, and that is told once") {
    world on({system_number(1), system_number(2)});
    const auto run = on.run();
    REQUIRE(answer_of(on.scheduled.start(run)));
    REQUIRE(answer_of(on.scheduled.start(run)));  // as after a crash

    CHECK(answer_of(on.jobs.list({}, 10)).value().jobs.empty());
    const auto told = on.told();
    REQUIRE(told.size() == 1);
    CHECK(told.front().kind == "schedule.skipped");
    CHECK(told.front().data.contains(R"("left_out":2)"));
}

TEST_CASE("a recurring run becomes one job for those who are within their window, told once") {
    world on({system_number(1)});
    const auto run = on.run();
    REQUIRE(answer_of(on.scheduled.start(run)));
    REQUIRE(answer_of(on.scheduled.start(run)));

    const auto made = answer_of(on.jobs.list({}, 10)).value().jobs;
    REQUIRE(made.size() == 1);
    CHECK(made.front().record.targets == 1);
    const auto told = on.told();
    REQUIRE(told.size() == 1);
    CHECK(told.front().kind == "schedule.ran");
    CHECK(told.front().job == made.front().record.job);
    CHECK(told.front().data.contains(R"("left_out":1)"));
}

TEST_CASE("a recurring run goes out with the limits that its schedule has") {
    world on({});
    auto run = on.run();
    run.what.rollout.batch = amount{.value = 1};
    run.what.rollout.canary = amount{.value = 1};
    run.what.rollout.max_failures = amount{.value = 0};
    run.what.rollout.rate = 5;
    run.what = windows::decode_schedule(windows::encode(run.what)).value();

    REQUIRE(answer_of(on.scheduled.start(run)));

    const auto made = answer_of(on.jobs.list({}, 10)).value().jobs;
    REQUIRE(made.size() == 1);
    CHECK(made.front().record.spec.rollout == run.what.rollout);
    CHECK(made.front().record.spec.rollout.canary == amount{.value = 1});
    CHECK(made.front().record.phase == job_phase::canaries);
}

TEST_CASE("a recurring run that deploys is a job for each set of files, told once") {
    world on({});
    on.give_file(system_number(1), "web");
    on.give_file(system_number(2), "mail");
    auto run = on.run();
    run.what.function = configuration::deployment::scheduled_as;
    run.what.arguments = R"({"dry_run":true})";
    REQUIRE(answer_of(on.scheduled.start(run)));
    on.put_file("web", "another text");
    REQUIRE(answer_of(on.scheduled.start(run)));  // as after a crash

    const auto made = answer_of(on.jobs.list({}, 10)).value().jobs;
    REQUIRE(made.size() == 2);
    for (const auto& each : made) {
        CHECK(each.record.targets == 1);
        CHECK(each.record.spec.function == "files.deploy");
        CHECK(each.record.spec.arguments.contains(R"("test":true)"));
    }
    const auto told = on.told();
    REQUIRE(told.size() == 1);
    CHECK(told.front().data.contains(R"("targets":2)"));
    for (const auto& each : made) CHECK(told.front().data.contains(to_string(each.record.job)));
}

TEST_CASE("a recurring run that would need too many jobs makes none") {
    world on({});
    on.meant = fleet::system_set::range(system_number(1), system_number(101));
    for (int each = 1; each <= 101; ++each)
        on.give_file(system_number(each), "channel-" + std::to_string(each));
    auto run = on.run();
    run.what.function = configuration::deployment::scheduled_as;
    const auto refused = answer_of(on.scheduled.start(run));

    REQUIRE(!refused);
    CHECK(refused.error().detail().contains("more than 100 jobs"));
    CHECK(answer_of(on.jobs.list({}, 10)).value().jobs.empty());
}

TEST_CASE("a recurring run that deploys where nobody has files is skipped, wrong words are told") {
    world on({});
    auto run = on.run();
    run.what.function = configuration::deployment::scheduled_as;
    REQUIRE(answer_of(on.scheduled.start(run)));
    run.what.arguments = R"({"chanel":"web"})";
    const auto refused = answer_of(on.scheduled.start(run));

    CHECK(answer_of(on.jobs.list({}, 10)).value().jobs.empty());
    CHECK(on.told().front().data.contains("none of these systems has configuration files"));
    REQUIRE(!refused);
    CHECK(refused.error().code() == errc::invalid);
    CHECK(refused.error().detail().contains("chanel"));
}

TEST_CASE("a run that cannot be is told with the reason") {
    world on({});
    REQUIRE(answer_of(on.scheduled.tell_left_out(on.run(), error(errc::invalid, "no such tag"))));
    CHECK(on.told().front().data.contains("no such tag"));
}

}  // namespace
}  // namespace muster::server
