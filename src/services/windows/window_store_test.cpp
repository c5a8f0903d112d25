#include "services/windows/window_store.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/os/time_zone_database.h"
#include "runtime/clock.h"
#include "runtime/metrics.h"
#include "services/schema/ledger_schema.h"
#include "services/windows/window_tables.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace muster::windows {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using fleet::system_set;
using harness::run_sync;
using write_mode = window_store::write_mode;

constexpr auto nights =
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Core\nDTSTART;TZID=Europe/Berlin:20261116T220000\n"
    "DURATION:PT4H\nRRULE:FREQ=DAILY\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:SAP\n"
    "DTSTART:20261121T000000Z\nDURATION:P1D\nEND:VEVENT\nEND:VCALENDAR\n";

// One ledger, and servers on it.
struct world {
    harness::temporary_directory where{"windows"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    os::time_zone_database zones;
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();

    world() { REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value()); }

    window_store::dependencies server() {
        return {
            .ledger = *records,
            .clock = clock,
            .zones = [this](std::string_view name) { return zones.find(name); },
            .log = log};
    }
};

void make_schedules(window_store& book) {
    REQUIRE(run_sync(
        book.put_calendar("nights", {.url = {}, .text = nights}, write_mode::create, "admin")));
    for (const auto* const name : {"Core", "SAP"})
        REQUIRE(run_sync(book.put_maintenance(
            name, {.type = "multi", .calendar = "nights"}, write_mode::create, "admin")));
    REQUIRE(run_sync(book.put_maintenance(
        "None", {.type = "none", .calendar = {}}, write_mode::create, "admin")));
}

stored_schedule nightly() {
    stored_schedule result;
    result.timing.cron = "0 2 * * *";
    result.query = "tag:db";
    result.function = "cmd.run";
    result.arguments = R"(["uptime"])";
    result.considered = sys_days(2026y / 11 / 16);
    return result;
}

system_number number(std::int64_t of) {
    return system_number(of);
}

TEST_CASE("nobody knows any schedule before all were read once") {
    world here;
    window_store book(here.server());

    CHECK(book.current() == nullptr);
    REQUIRE(run_sync(book.refresh()));
    REQUIRE(book.current() != nullptr);
    CHECK(book.current()->maintenance.empty());
}

TEST_CASE("what one server changed, another one follows") {
    world here;
    window_store one(here.server());
    window_store other(here.server());
    make_schedules(one);
    REQUIRE(run_sync(one.assign("Core", {number(1), number(2)}, "admin")));

    REQUIRE(run_sync(other.refresh()));

    const auto now = other.current();
    CHECK(now->schedule_of(number(1)) == "Core");
    CHECK_FALSE(now->schedule_of(number(3)));
    CHECK_FALSE(now->windows_of("SAP").empty());
    CHECK(now->windows_of("None").empty());
    const auto open = now->systems_in_window(sys_days(2026y / 11 / 16) + 22h);
    REQUIRE(open);
    CHECK(*open == system_set{number(1), number(2)});
    CHECK(now->systems_in_window(sys_days(2026y / 11 / 16) + 12h)->empty());
}

TEST_CASE("a record that cannot be read or understood is passed over, and hides no other") {
    world here;
    const auto put = [&here](std::string kind, std::string name, std::string document) {
        auto row = encode(
            window_record{.name = std::move(name), .document = std::move(document), .version = 1});
        row.front() = std::move(kind);
        table::batch change;
        change.writes.push_back(
            {.table = std::string(window_records_table), .rows = {std::move(row)}});
        REQUIRE(run_sync(here.records->write(std::move(change))));
    };
    put("of a newer version", "strange", "{}");
    put("calendar", "torn", "no JSON");
    window_store one(here.server());
    make_schedules(one);

    window_store other(here.server());
    REQUIRE(run_sync(other.refresh()));
    CHECK(other.current()->calendars.contains("nights"));
    CHECK(other.current()->maintenance.size() == 3);
    REQUIRE(run_sync(other.reload()));
    CHECK(other.current()->maintenance.size() == 3);
    runtime::metrics metrics;
    other.export_to(metrics);
    CHECK(metrics.text().contains(R"(muster_rows_unreadable_total{table="window_records"} 2)"));
}

TEST_CASE("a system has at most one schedule, whoever gave it, in every part of the numbers") {
    world here;
    window_store one(here.server());
    window_store other(here.server());
    make_schedules(one);
    const auto many = system_set::range(number(1'000'000), number(3'200'000));

    REQUIRE(run_sync(one.assign("Core", many, "admin")).value() == 0);
    const auto moved = run_sync(other.assign("SAP", {number(1'000'005), number(3'000'000)}, "eve"));

    REQUIRE(moved);
    CHECK(*moved == 2);
    REQUIRE(run_sync(one.refresh()));
    const auto now = one.current();
    CHECK(now->schedule_of(number(3'000'000)) == "SAP");
    CHECK(now->systems_of("Core").size() + 2 == many.size());
    CHECK_FALSE(now->systems_of("Core").intersects(now->systems_of("SAP")));
    const auto groups = now->group_by_schedule({number(1), number(1'000'001), number(1'000'005)});
    CHECK(groups.at("") == system_set{number(1)});
    CHECK(groups.at("Core") == system_set{number(1'000'001)});
    CHECK(groups.at("SAP") == system_set{number(1'000'005)});
}

TEST_CASE("what is in use is not removed") {
    world here;
    window_store book(here.server());
    make_schedules(book);
    REQUIRE(run_sync(book.assign("Core", {number(1)}, "admin")));
    const auto remove = [&](record_kind kind, const char* name) {
        const auto done = run_sync(book.remove(kind, name, "admin"));
        return done ? std::string() : to_string(done.error());
    };

    CHECK(
        remove(record_kind::calendar, "nights")
        == "conflict: calendar \"nights\" is used by maintenance schedule \"Core\"");
    CHECK(remove(record_kind::maintenance, "Core")
              .starts_with("conflict: maintenance schedule \"Core\" is assigned to 1 systems"));
    REQUIRE(run_sync(book.assign("", {number(1)}, "admin")));
    CHECK(remove(record_kind::maintenance, "Core").empty());
    CHECK(
        remove(record_kind::maintenance, "Core")
        == "not found: maintenance schedule \"Core\" not found");
    CHECK(book.current()->maintenance.size() == 2);
    REQUIRE(run_sync(book.put_maintenance(
        "Core", {.type = "single", .calendar = "nights"}, write_mode::create, "admin")));
    CHECK(book.current()->maintenance.size() == 3);
}

TEST_CASE("what is no calendar and no schedule is refused") {
    world here;
    window_store book(here.server());
    make_schedules(book);

    CHECK(
        run_sync(
            book.put_calendar("bad", {.url = {}, .text = "hello"}, write_mode::create, "admin"))
            .error()
            .code()
        == errc::invalid);
    CHECK(
        run_sync(
            book.put_calendar("nights", {.url = {}, .text = nights}, write_mode::create, "admin"))
            .error()
            .code()
        == errc::conflict);
    CHECK(
        run_sync(
            book.put_maintenance(
                "Nobody", {.type = "multi", .calendar = "nights"}, write_mode::create, "admin"))
            .error()
            .code()
        == errc::invalid);
    CHECK(
        run_sync(book.put_maintenance(
                     "x", {.type = "weekly", .calendar = "nights"}, write_mode::create, "admin"))
            .error()
            .code()
        == errc::invalid);
    CHECK(run_sync(book.assign("Nobody", {number(1)}, "admin")).error().code() == errc::not_found);
    CHECK(
        run_sync(book.put_calendar(
                     "bad\nname", {.url = {}, .text = nights}, write_mode::create, "admin"))
            .error()
            .code()
        == errc::invalid);
}

TEST_CASE("a replaced calendar changes the windows of its schedules") {
    world here;
    window_store book(here.server());
    make_schedules(book);

    std::string later = nights;
    later.replace(later.find("T220000"), 7, "T230000");
    REQUIRE(run_sync(
        book.put_calendar("nights", {.url = {}, .text = later}, write_mode::replace, "admin")));

    const auto open =
        book.current()->windows_of("Core").open_at(sys_days(2026y / 11 / 16) + 21h + 30min);
    REQUIRE(open);
    CHECK_FALSE(open->has_value());
}

TEST_CASE("of two servers that see a run due, one has it") {
    world here;
    window_store one(here.server());
    window_store other(here.server());
    REQUIRE(run_sync(one.put_schedule("nightly", nightly(), write_mode::create, "admin")));
    REQUIRE(run_sync(other.refresh()));
    const auto now = sys_days(2026y / 11 / 16) + 2h + 1s;

    const auto due = one.current()->find_due(now);
    REQUIRE(due.size() == 1);
    CHECK(due[0].second.run == schedules::due_run{.planned = sys_days(2026y / 11 / 16) + 2h});
    CHECK(other.current()->find_due(now).size() == 1);

    CHECK(run_sync(one.put_considered("nightly", due[0].second.considered, "a")).value());
    CHECK_FALSE(run_sync(other.put_considered("nightly", due[0].second.considered, "b")).value());
    CHECK(other.current()->find_due(now).empty());
}

TEST_CASE("the override of windows can be switched off") {
    world here;
    window_store book(here.server());
    REQUIRE(run_sync(book.refresh()));
    CHECK(book.current()->policy.emergency_override);

    REQUIRE(run_sync(book.put_policy({.emergency_override = false}, "admin")));

    CHECK_FALSE(book.current()->policy.emergency_override);
}

TEST_CASE("a damaged assignment is refused") {
    assignment some;
    some["Core"] = {number(1), number(70'000)};
    const auto bytes = encode_assignment(some);

    REQUIRE(decode_assignment(bytes));
    CHECK(decode_assignment(bytes)->at("Core") == some.at("Core"));
    for (std::size_t stored = 1; stored < bytes.size(); ++stored)
        CHECK_FALSE(decode_assignment(std::string_view(bytes).substr(0, stored)));
}

}  // namespace
}  // namespace muster::windows
