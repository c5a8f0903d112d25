#include "services/events/state_event_recorder.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/os/time_zone_database.h"
#include "runtime/clock.h"
#include "services/events/event_builders.h"
#include "services/jobs/job_tables.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace muster::events {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;
using write_mode = windows::window_store::write_mode;

std::string ical_time(wall_time when) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(when);
    const auto day = std::chrono::floor<std::chrono::days>(seconds);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss of_day(seconds - day);
    std::array<char, 32> text{};
    const auto size = std::snprintf(
        text.data(),
        text.size(),
        "%04d%02u%02uT%02d%02d%02dZ",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        static_cast<int>(of_day.hours().count()),
        static_cast<int>(of_day.minutes().count()),
        static_cast<int>(of_day.seconds().count()));
    return {text.data(), static_cast<std::size_t>(size)};
}

struct world {
    harness::temporary_directory where{"notary"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    os::time_zone_database zones;
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    cluster::topology_cache topology;
    windows::window_store windows{
        {.ledger = *records,
         .clock = clock,
         .zones = [this](std::string_view name) { return zones.find(name); },
         .log = log}};
    jobs::job_store jobs{*records, clock};
    jobs::open_job_cache book{jobs, log, {}};
    jobs::task_state_cache board{jobs, log, {}};
    event_log events{*records, clock};
    fleet::system_set everybody = fleet::system_set::range(system_number(1), system_number(1'500));

    world() {
        REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
        REQUIRE(run_sync(windows.refresh()));
        REQUIRE(run_sync(board.refresh()));
    }

    state_event_recorder server() {
        return {
            {.events = events,
             .topology = topology,
             .windows = windows,
             .job_store = jobs,
             .jobs = book,
             .task_states = board,
             .clock = clock,
             .log = log},
            {}};
    }
    std::vector<std::string> told(const std::string& kinds) {
        const auto page = run_sync(events.read(filter_of(kinds).value(), {}, 1'000)).value();
        std::vector<std::string> all;
        for (const auto& item : page.items) all.push_back(item.event.kind);
        return all;
    }
    void node_is(membership::node_state state, wall_time since) {
        auto next = std::make_shared<cluster::topology>(*topology.read());
        next->nodes["n1"] = {.number = node_number(1), .name = "n1", .instance = {}};
        next->nodes["n1"].state = state;
        next->nodes["n1"].since = since;
        next->nodes["n1"].zone = "default";
        topology.publish(next);
    }

    // A window that has just closed, and a job of a system in it.
    void close_a_window(wall_time opened) {
        const auto text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:" + ical_time(opened) + "\nDTEND:"
                          + ical_time(clock.wall() - 1s) + "\nEND:VEVENT\nEND:VCALENDAR\n";
        REQUIRE(run_sync(windows.put_calendar(
            "nights", {.url = {}, .text = text}, write_mode::create, "admin")));
        REQUIRE(run_sync(windows.put_maintenance(
            "core", {.type = "single", .calendar = "nights"}, write_mode::create, "admin")));
        REQUIRE(run_sync(windows.assign("core", everybody, "admin")));
    }
    // Picked up then by system 1, and so on.
    job_id start_job(const std::vector<wall_time>& picked_up, job_spec::window_rule rule) {
        job_record job{.job = {}, .spec = {.function = "test.ping"}};
        job.spec.windows = rule;
        const auto result =
            run_sync(jobs.create(job, {.systems = everybody, .canaries = {}})).value();
        table::write rows{
            .table = std::string(jobs::tasks_table),
            .rows = {},
            .existing = table::replace_if_grows{"rank"}};
        for (const auto when : picked_up) {
            task_record task{.job = result.job, .picked_up = when, .node = "n1"};
            task.system = static_cast<std::int64_t>(rows.rows.size()) + 1;
            rows.rows.push_back(jobs::encode_task(task));
        }
        table::batch change;
        change.writes.push_back(std::move(rows));
        REQUIRE(run_sync(records->write(std::move(change))));
        REQUIRE(run_sync(book.refresh()));
        REQUIRE(run_sync(board.read(result.job)));
        return result.job;
    }
};

TEST_CASE("each state of a node is told once, by however many notaries") {
    world on;
    const auto now = on.clock.wall();
    on.node_is(membership::node_state::serving, now);
    auto first = on.server();
    REQUIRE(run_sync(first.run_once()));
    REQUIRE(run_sync(first.run_once()));
    auto second = on.server();
    REQUIRE(run_sync(second.run_once()));
    CHECK(on.told("node.*") == std::vector<std::string>{"node.serving"});

    on.node_is(membership::node_state::suspect, now + 1s);
    REQUIRE(run_sync(second.run_once()));
    on.node_is(membership::node_state::serving, now + 2s);
    REQUIRE(run_sync(first.run_once()));
    CHECK(
        on.told("node.*")
        == std::vector<std::string>{"node.serving", "node.suspect", "node.serving"});
}

TEST_CASE("a new notary does not tell old stories") {
    world on;
    on.node_is(membership::node_state::serving, on.clock.wall() - 25h);
    auto late = on.server();
    REQUIRE(run_sync(late.run_once()));
    CHECK(on.told("node.*").empty());
}

TEST_CASE("a calendar that is put, replaced and removed is told each time") {
    world on;
    const auto text =
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261116T220000Z\nDURATION:PT1H\nEND:VEVENT\n"
        "END:VCALENDAR\n";
    auto state_event_recorder = on.server();
    REQUIRE(run_sync(
        on.windows.put_calendar("nights", {.url = {}, .text = text}, write_mode::create, "eve")));
    REQUIRE(run_sync(state_event_recorder.run_once()));
    REQUIRE(run_sync(
        on.windows.put_calendar("nights", {.url = {}, .text = text}, write_mode::replace, "eve")));
    REQUIRE(run_sync(state_event_recorder.run_once()));
    REQUIRE(run_sync(on.windows.remove(windows::record_kind::calendar, "nights", "eve")));
    REQUIRE(run_sync(state_event_recorder.run_once()));

    CHECK(on.told("calendar.*").back() == "calendar.removed");
    const auto page = run_sync(on.events.read(filter_of("calendar.*").value(), {}, 10)).value();
    CHECK(page.items.front().event.actor == "eve");
    CHECK(page.items.front().event.data == R"({"name":"nights"})");
}

TEST_CASE("a window that work overruns is told once, by however many notaries, for all its jobs") {
    world on;
    const auto now = on.clock.wall();
    on.close_a_window(now - 2h);
    const auto job = on.start_job({now - 1h}, job_spec::window_rule::respect);
    on.start_job({now - 30min}, job_spec::window_rule::respect);
    auto first = on.server();
    REQUIRE(run_sync(first.run_once()));
    REQUIRE(run_sync(first.run_once()));
    auto second = on.server();
    REQUIRE(run_sync(second.run_once()));

    const auto page = run_sync(on.events.read(filter_of("window.overrun").value(), {}, 10)).value();
    REQUIRE(page.items.size() == 1);
    CHECK(page.items.front().event.job == job);
    CHECK(page.items.front().event.data.contains(R"("schedule":"core")"));
    CHECK(page.items.front().event.data.contains(R"("still_running":1)"));
}

TEST_CASE("what heeds no window, or began outside of it, overruns none") {
    world on;
    const auto now = on.clock.wall();
    on.close_a_window(now - 1h);
    on.start_job({now - 30min}, job_spec::window_rule::ignore);
    on.start_job({now - 2h}, job_spec::window_rule::respect);
    auto state_event_recorder = on.server();
    REQUIRE(run_sync(state_event_recorder.run_once()));
    CHECK(on.told("window.overrun").empty());
}

TEST_CASE("one that overruns its window is found among many that do not") {
    world on;
    const auto now = on.clock.wall();
    on.close_a_window(now - 1h);
    std::vector<wall_time> picked_up(1'500, now - 2h);
    picked_up.back() = now - 30min;
    on.start_job(picked_up, job_spec::window_rule::respect);
    auto state_event_recorder = on.server();

    REQUIRE(run_sync(state_event_recorder.run_once()));

    CHECK(on.told("window.overrun").size() == 1);
}

}  // namespace
}  // namespace muster::events
