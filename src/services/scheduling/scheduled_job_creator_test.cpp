#include "services/scheduling/scheduled_job_creator.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/os/time_zone_database.h"
#include "runtime/clock.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <vector>

namespace muster::scheduling {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;
using windows::window_store;

// Two systems, of which `frozen` ones have a maintenance schedule without any window.
struct world {
    harness::temporary_directory where{"scheduled"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    os::time_zone_database zones;
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    window_store windows{
        {.ledger = *records,
         .clock = clock,
         .zones = [this](std::string_view name) { return zones.find(name); },
         .log = log}};
    jobs::job_store jobs{*records, clock};
    jobs::task_state_cache board{jobs, log, {}};
    struct all_attached final : presence::presence_lookup {
        bool is_attached(system_number /*system*/) const override { return true; }
    };
    all_attached presence;
    jobs::job_service desk{
        {.jobs = jobs, .task_states = board, .metastore = *store, .presence = presence}, {}};
    events::event_log events{*records, clock};
    struct two_systems final : fleet::system_selector {
        fleet::system_set meant{system_number(1), system_number(2)};
        result<fleet::system_set> resolve(const std::string& /*query*/) const override {
            return meant;
        }
        bool has_label(system_number /*system*/, const std::string& /*group*/) const override {
            return false;
        }
    };
    two_systems selector;
    configuration::config_record_store config_records{*records, clock, log};
    configuration::config_file_store files{*records, clock};
    fleet::system_profile_store profiles{*records, clock, log};
    configuration::config_channel_store channels{
        {.numbers = *store,
         .records = config_records,
         .files = files,
         .profiles = profiles,
         .clock = clock}};
    configuration::deployment deployed{
        {.channels = channels, .files = files, .profiles = profiles, .systems = selector}};
    scheduled_job_creator scheduled{
        {.job_service = desk,
         .windows = windows,
         .events = events,
         .clock = clock,
         .log = log,
         .systems = selector,
         .deployment = deployed}};

    explicit world(fleet::system_set frozen) {
        REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
        REQUIRE(run_sync(config_records.refresh()));
        REQUIRE(run_sync(windows.put_maintenance(
            "frozen",
            {.type = "none", .calendar = {}},
            window_store::write_mode::create,
            "admin")));
        REQUIRE(run_sync(windows.assign("frozen", std::move(frozen), "admin")));
    }
    schedule_runner::run run() const {
        windows::stored_schedule stored_schedule;
        stored_schedule.query = "*";
        stored_schedule.function = "test.ping";
        stored_schedule.arguments = "[]";
        return {
            .name = "nightly",
            .schedule = stored_schedule,
            .due = {.planned = clock.wall(), .late = false}};
    }
    void put_file(const std::string& label, std::string content) {
        const auto of = channels.find(label).value();
        configuration::config_file_store::new_revision new_revision{
            .how = {.owner = "root"}, .content = std::move(content)};
        REQUIRE(run_sync(files.put(
            configuration::held_by_channel(of.number), "/etc/motd", std::move(new_revision))));
    }
    // A channel with one file, which the system has.
    void give_file(system_number system_number, const std::string& label) {
        REQUIRE(run_sync(channels.add({.label = label, .name = label}, "ada")));
        put_file(label, label);
        const auto have = [label](fleet::system_profile& system_profile) -> result<void> {
            system_profile.config_channels = {label};
            return {};
        };
        REQUIRE(run_sync(profiles.change({system_number}, have, "ada")));
    }
    std::vector<event_record> told() {
        const auto filter = events::filter_of("schedule.*").value();
        const auto page = run_sync(events.read(filter, {}, 10)).value();
        std::vector<event_record> all;
        for (const auto& item : page.items) all.push_back(item.event);
        return all;
    }
};

TEST_CASE("a recurring run that nobody may be changed by is skipped, and that is told once") {
    world on({system_number(1), system_number(2)});
    const auto run = on.run();
    REQUIRE(run_sync(on.scheduled.start(run)));
    REQUIRE(run_sync(on.scheduled.start(run)));  // as after a crash

    CHECK(run_sync(on.jobs.list({}, 10)).value().jobs.empty());
    const auto response = on.told();
    REQUIRE(response.size() == 1);
    CHECK(response.front().kind == "schedule.skipped");
    CHECK(response.front().data.contains(R"("left_out":2)"));
}

TEST_CASE("a recurring run becomes one job for those who are within their window, told once") {
    world on({system_number(1)});
    const auto run = on.run();
    REQUIRE(run_sync(on.scheduled.start(run)));
    REQUIRE(run_sync(on.scheduled.start(run)));

    const auto result = run_sync(on.jobs.list({}, 10)).value().jobs;
    REQUIRE(result.size() == 1);
    CHECK(result.front().record.targets == 1);
    const auto response = on.told();
    REQUIRE(response.size() == 1);
    CHECK(response.front().kind == "schedule.ran");
    CHECK(response.front().job == result.front().record.job);
    CHECK(response.front().data.contains(R"("left_out":1)"));
}

TEST_CASE("a recurring run goes out with the limits that its schedule has") {
    world on({});
    auto run = on.run();
    run.schedule.rollout.batch = amount{.value = 1};
    run.schedule.rollout.canary = amount{.value = 1};
    run.schedule.rollout.max_failures = amount{.value = 0};
    run.schedule.rollout.rate = 5;
    run.schedule = windows::decode_schedule(windows::encode(run.schedule)).value();

    REQUIRE(run_sync(on.scheduled.start(run)));

    const auto result = run_sync(on.jobs.list({}, 10)).value().jobs;
    REQUIRE(result.size() == 1);
    CHECK(result.front().record.spec.rollout == run.schedule.rollout);
    CHECK(result.front().record.spec.rollout.canary == amount{.value = 1});
    CHECK(result.front().record.phase == job_phase::canaries);
}

TEST_CASE("a recurring run that deploys is a job for each set of files, told once") {
    world on({});
    on.give_file(system_number(1), "web");
    on.give_file(system_number(2), "mail");
    auto run = on.run();
    run.schedule.function = configuration::deployment::scheduled_as;
    run.schedule.arguments = R"({"dry_run":true})";
    REQUIRE(run_sync(on.scheduled.start(run)));
    on.put_file("web", "another text");
    REQUIRE(run_sync(on.scheduled.start(run)));  // as after a crash

    const auto result = run_sync(on.jobs.list({}, 10)).value().jobs;
    REQUIRE(result.size() == 2);
    for (const auto& each : result) {
        CHECK(each.record.targets == 1);
        CHECK(each.record.spec.function == "files.deploy");
        CHECK(each.record.spec.arguments.contains(R"("test":true)"));
    }
    const auto response = on.told();
    REQUIRE(response.size() == 1);
    CHECK(response.front().data.contains(R"("targets":2)"));
    for (const auto& each : result)
        CHECK(response.front().data.contains(to_string(each.record.job)));
}

TEST_CASE("a recurring run that would need too many jobs makes none") {
    world on({});
    on.selector.meant = fleet::system_set::range(system_number(1), system_number(101));
    for (int each = 1; each <= 101; ++each)
        on.give_file(system_number(each), "channel-" + std::to_string(each));
    auto run = on.run();
    run.schedule.function = configuration::deployment::scheduled_as;
    const auto refused = run_sync(on.scheduled.start(run));

    REQUIRE(!refused);
    CHECK(refused.error().detail().contains("limit of 100 jobs"));
    CHECK(run_sync(on.jobs.list({}, 10)).value().jobs.empty());
}

TEST_CASE("a recurring run that deploys where nobody has files is skipped, wrong words are told") {
    world on({});
    auto run = on.run();
    run.schedule.function = configuration::deployment::scheduled_as;
    REQUIRE(run_sync(on.scheduled.start(run)));
    run.schedule.arguments = R"({"chanel":"web"})";
    const auto refused = run_sync(on.scheduled.start(run));

    CHECK(run_sync(on.jobs.list({}, 10)).value().jobs.empty());
    CHECK(on.told().front().data.contains("none of the systems has configuration files"));
    REQUIRE(!refused);
    CHECK(refused.error().code() == errc::invalid);
    CHECK(refused.error().detail().contains("chanel"));
}

TEST_CASE("a run that cannot be is told with the reason") {
    world on({});
    REQUIRE(run_sync(on.scheduled.record_skipped(on.run(), error(errc::invalid, "no such tag"))));
    CHECK(on.told().front().data.contains("no such tag"));
}

}  // namespace
}  // namespace muster::scheduling
