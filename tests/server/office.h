#pragma once

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/os/zone_files.h"
#include "apps/muster/server/planned_work.h"
#include "apps/muster/server/window_sense.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/jobs/steward.h"
#include "runtime/clock.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Calendars, schedules and jobs of a cluster on an embedded ledger, at a noon that stands still.
namespace muster::server::test {

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
    void pass(std::chrono::seconds span) { wall_ += span; }

private:
    mutable runtime::system_clock real_;
    wall_time wall_ =
        std::chrono::sys_days(std::chrono::year(2026) / std::chrono::November / 16) + 12h;
};

inline std::string calendar_at(const std::string& hour, const std::string& closes) {
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
    jobs::task_board board{jobs, log, {}};
    planned_work planned{{.records = jobs, .book = book, .windows = windows, .time = time}};
    planned_work& hooks = planned;

    office() {
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
        REQUIRE(answer_of(windows.catch_up()).has_value());
        REQUIRE(answer_of(board.catch_up()).has_value());
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

    job_record make(
        std::optional<wall_time> at, fleet::system_set targets, rollout_options how = {}) {
        job_record wanted;
        wanted.spec.rollout = how;
        wanted.spec.function = "cmd.run";
        wanted.spec.arguments = R"({"cmd":"up"})";
        wanted.spec.by = "admin";
        wanted.spec.not_before = at;
        wanted.spec.windows = job_spec::window_rule::respect;
        wanted.targets = targets.size();
        jobs::job_audience who{.targets = targets, .canaries = {}};
        if (how.canary) who.canaries = {*targets.smallest()};
        if (how.canary) wanted.phase = job_phase::canaries;
        time.pass(1s);
        auto made = answer_of(jobs.make(wanted, who)).value();
        time.pass(1s);
        REQUIRE(answer_of(book.catch_up()).has_value());
        return made;
    }
    // One look of a steward that has just come up and knows nothing but the record.
    void look_anew() {
        time.pass(1s);
        jobs::job_book read{jobs, log, {}};
        REQUIRE(answer_of(read.catch_up()).has_value());
        REQUIRE(answer_of(board.catch_up()).has_value());
        jobs::steward looks{
            {.records = jobs, .book = read, .board = board, .time = time, .log = log},
            {.grace = 0s}};
        REQUIRE(answer_of(looks.look()).has_value());
    }
    void see_through() {
        for (int look = 0; look < 6; ++look) look_anew();
    }
    std::vector<job_record> all() {
        std::vector<job_record> read;
        for (const auto& each : answer_of(jobs.list({}, 100)).value().jobs)
            read.push_back(each.record);
        return read;
    }
    job_record now(const std::string& job) {
        REQUIRE(answer_of(book.catch_up()).has_value());
        return answer_of(jobs.find(parse_job_id(job).value())).value().record;
    }
    fleet::system_set targets(const std::string& job) {
        return answer_of(jobs.audience(parse_job_id(job).value())).value().targets;
    }
};

inline wall_time at_hour(int hour) {
    return wall_time(std::chrono::sys_days(std::chrono::year(2026) / std::chrono::November / 16))
           + std::chrono::hours(hour);
}

inline const fleet::system_set both{system_number(1), system_number(2)};

}  // namespace muster::server::test
