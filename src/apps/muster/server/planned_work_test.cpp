#include "apps/muster/server/planned_work.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/os/zone_files.h"
#include "apps/muster/server/window_sense.h"
#include "roles/cluster/ledger_schema.h"
#include "runtime/clock.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using harness::answer_of;
using windows::window_book;

// A clock that stands at one moment of the calendar.
class standing_clock final : public clock {
public:
    instant now() const override { return real_.now(); }
    wall_time wall() const override { return wall_; }
    async<void> sleep_until(instant when) override { return real_.sleep_until(when); }
    void set(wall_time to) { wall_ = to; }

private:
    mutable runtime::system_clock real_;
    wall_time wall_ =
        std::chrono::sys_days(std::chrono::year(2026) / std::chrono::November / 16) + 12h;
};

std::string calendar_at(const std::string& hour, const std::string& closes) {
    return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//t//EN\r\nBEGIN:VEVENT\r\n"
           "SUMMARY:Night\r\nUID:a\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20261101T"
           + hour + "0000Z\r\nDTEND:20261101T" + closes
           + "0000Z\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
}

struct office {
    harness::temporary_directory where{"planned"};
    standing_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    os::zone_files zones;
    window_book windows{
        {.records = *records,
         .time = time,
         .zones = [this](std::string_view name) { return zones.find(name); },
         .log = log}};
    jobs::job_ledger jobs{*records, time};
    jobs::job_book book{jobs, log, {}};
    jobs::duration_reader durations{jobs, time, {}};
    window_sense sense{windows, durations, time};
    planned_work planned{{.records = jobs, .book = book, .windows = windows, .time = time}};
    gateway::planned_work_hooks hooks = planned.hooks();

    office() {
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
        REQUIRE(answer_of(windows.catch_up()).has_value());
        add("nights", calendar_at("20", "21"));
        add("mornings", calendar_at("04", "05"));
        give("nights", {system_number(1), system_number(2)});
    }

    void add(const std::string& name, const std::string& text) {
        using enum window_book::writing;
        REQUIRE(answer_of(windows.put_calendar(name, {.url = {}, .text = text}, new_one, "admin"))
                    .has_value());
        REQUIRE(answer_of(windows.put_maintenance(
                              name, {.type = "single", .calendar = name}, new_one, "admin"))
                    .has_value());
    }
    void give(const std::string& name, fleet::system_set systems) {
        REQUIRE(answer_of(windows.assign(name, std::move(systems), "admin")).has_value());
    }

    job_record make(std::optional<wall_time> at, fleet::system_set targets) {
        job_record wanted;
        wanted.spec = {.function = "cmd.run", .arguments = R"({"cmd":"up"})", .by = "admin"};
        wanted.spec.not_before = at;
        wanted.spec.windows = job_spec::window_rule::respect;
        wanted.targets = targets.size();
        auto made = answer_of(jobs.make(wanted, {.targets = targets, .canaries = {}})).value();
        REQUIRE(answer_of(book.catch_up()).has_value());
        return made;
    }
    job_record now(const std::string& job) {
        REQUIRE(answer_of(book.catch_up()).has_value());
        return answer_of(jobs.find(parse_job_id(job).value())).value().record;
    }
    fleet::system_set targets(const std::string& job) {
        return answer_of(jobs.audience(parse_job_id(job).value())).value().targets;
    }
};

wall_time at_hour(int hour) {
    return wall_time(std::chrono::sys_days(std::chrono::year(2026) / std::chrono::November / 16))
           + std::chrono::hours(hour);
}

const fleet::system_set both{system_number(1), system_number(2)};

TEST_CASE("only jobs that respect windows and have a start to come are planned") {
    office on;
    const auto job = on.make(at_hour(20), both);
    on.make(std::nullopt, both);
    on.make(at_hour(11), both);
    on.make(at_hour(20), {system_number(9)});

    CHECK(
        on.hooks.planned("nights")
        == std::vector{windows::planned_start{.job = to_string(job.job), .at = at_hour(20)}});
    CHECK(on.hooks.planned("mornings").empty());
}

TEST_CASE("a start that moves is a new job, and the old one is cancelled") {
    office on;
    const auto job = on.make(at_hour(20), both);
    const windows::replanned moved{
        .plan = {.job = to_string(job.job), .at = at_hour(20)},
        .verdict = windows::moved{.to = at_hour(22), .by = windows::strategy::next}};

    const auto replaced = answer_of(on.hooks.carry_out({{"nights", {moved}}}, "admin")).value();

    REQUIRE(replaced.size() == 1);
    REQUIRE(replaced[0].by.size() == 1);
    CHECK(on.now(to_string(job.job)).stage == job_stage::cancelling);
    const auto next = on.now(replaced[0].by[0]);
    CHECK(next.stage == job_stage::open);
    CHECK(next.spec.not_before == at_hour(22));
    CHECK(next.spec.arguments == job.spec.arguments);
    CHECK(on.targets(replaced[0].by[0]) == both);
}

TEST_CASE("what another schedule's systems have planned is not touched") {
    office on;
    on.give("mornings", {system_number(2)});
    const auto job = on.make(at_hour(20), {system_number(1), system_number(2), system_number(3)});
    const windows::replanned gone{
        .plan = {.job = to_string(job.job), .at = at_hour(20)}, .verdict = windows::cancelled{}};

    const auto replaced = answer_of(on.hooks.carry_out({{"nights", {gone}}}, "admin")).value();

    REQUIRE(replaced.size() == 1);
    REQUIRE(replaced[0].by.size() == 1);
    CHECK(on.targets(replaced[0].by[0]) == fleet::system_set{system_number(2), system_number(3)});
    CHECK(on.now(replaced[0].by[0]).spec.not_before == at_hour(20));
}

TEST_CASE("a plan that is kept stays the job it is") {
    office on;
    const auto job = on.make(at_hour(20), both);
    const windows::replanned stays{
        .plan = {.job = to_string(job.job), .at = at_hour(20)}, .verdict = windows::kept{}};

    CHECK(answer_of(on.hooks.carry_out({{"nights", {stays}}}, "admin")).value().empty());
    CHECK(on.now(to_string(job.job)).stage == job_stage::open);
}

TEST_CASE("a system with another schedule loses its planned work, and the others keep theirs") {
    office on;
    const auto job = on.make(at_hour(20), both);
    const auto alone = on.make(at_hour(20), {system_number(1)});

    const auto cancelled = answer_of(on.hooks.cancel({system_number(1)}, "admin")).value();

    REQUIRE(cancelled.size() == 2);
    CHECK(on.now(to_string(alone.job)).stage == job_stage::cancelling);
    CHECK(cancelled[0].job == to_string(job.job));
    REQUIRE(cancelled[0].by.size() == 1);
    CHECK(on.targets(cancelled[0].by[0]) == fleet::system_set{system_number(2)});
    CHECK(cancelled[1].by.empty());
}

TEST_CASE("a planned start outside of a window is refused with the windows to come") {
    office on;
    job_spec spec{.windows = job_spec::window_rule::respect};
    spec.not_before = at_hour(20);
    CHECK(on.sense.check_start(spec, both).has_value());
    spec.not_before = at_hour(15);

    const auto refused = on.sense.check_start(spec, both);

    CHECK(refused.error().code() == errc::invalid);
    CHECK(refused.error().detail().contains("2026-11-16T20:00:00Z"));
    CHECK(refused.error().detail().contains("2 systems with the schedule nights"));
    CHECK(on.sense.check_start(spec, {system_number(9)}).has_value());
}

// Six systems on which the same took 50 minutes.
void let_it_take_long(office& on) {
    const auto job = on.make(std::nullopt, both);
    table::batch rows;
    table::write tasks{.table = std::string(cluster::tasks_table), .rows = {}};
    for (std::int64_t system = 1; system <= 6; ++system) {
        task_record row;
        row.job = job.job;
        row.system = system;
        row.state = task_state::completed;
        row.ended = on.time.wall();
        row.picked_up = *row.ended - 50min;
        tasks.rows.push_back(jobs::encode_task(row));
    }
    rows.writes.push_back(std::move(tasks));
    REQUIRE(answer_of(on.records->write(std::move(rows))).has_value());
}

TEST_CASE("work that takes 50 minutes is not begun 10 minutes before its window's end") {
    office on;
    let_it_take_long(on);
    const job_spec work{.function = "cmd.run", .arguments = R"({"cmd":"up"})"};

    on.time.set(at_hour(20) + 5min);
    const auto in_time = answer_of(on.sense.of(system_number(1), work)).value();
    on.time.set(at_hour(20) + 50min);
    const auto too_late = answer_of(on.sense.of(system_number(1), work)).value();

    CHECK_FALSE(in_time.why.has_value());
    REQUIRE(too_late.why.has_value());
    CHECK(too_late.why->starts_with(
        "it is expected to take 50 min, and the window has 10 min left; the next one opens at "
        "2026-11-17T20:00:00Z"));
    CHECK(too_late.opens == at_hour(44));
    CHECK(
        expected_of(answer_of(on.durations.measure(work)).value()) == std::chrono::seconds(50min));
}

TEST_CASE("a forecast counts with the time that such work took before") {
    office on;
    let_it_take_long(on);
    jobs::job_desk::plan made;
    made.spec = {.function = "cmd.run", .arguments = R"({"cmd":"up"})"};
    made.spec.windows = job_spec::window_rule::respect;
    made.who.targets = both;
    made.places = 1;

    const auto told = answer_of(on.sense.foresee(made)).value();

    // One at a time, 50 minutes each, in windows of an hour: one a night.
    CHECK(told.at("expected_seconds").as_int64() == 3000);
    REQUIRE(told.at("windows").as_array().size() == 2);
    CHECK(told.at("windows").at(0).at("finished").to_number<int>() == 1);
}

}  // namespace
}  // namespace muster::server
