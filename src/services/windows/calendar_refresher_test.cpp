#include "services/windows/calendar_refresher.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/os/time_zone_database.h"
#include "runtime/clock.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::windows {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;
using write_mode = window_store::write_mode;

std::string at_hour(const std::string& hour) {
    return "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Core\r\nDTSTART:20261116T" + hour
           + "0000Z\r\nDURATION:PT1H\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
}

// The real one, but for the calendar.
class moved_clock final : public clock {
public:
    instant now() const override { return real_.now(); }
    wall_time wall() const override { return real_.wall() + ahead_; }
    async<void> sleep_until(instant when) override { return real_.sleep_until(when); }
    void pass(std::chrono::minutes span) { ahead_ += span; }

private:
    mutable runtime::system_clock real_;
    std::chrono::microseconds ahead_{};
};

// One calendar that was uploaded, and one that was fetched a moment ago.
struct world {
    harness::temporary_directory where{"refresh"};
    moved_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    os::time_zone_database zones;
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    window_store book{
        {.ledger = *records,
         .clock = clock,
         .zones = [this](std::string_view name) { return zones.find(name); },
         .log = log}};
    struct test_source final : calendar_source {
        mutable int fetches = 0;
        result<std::string> text = at_hour("22");
        std::function<void()> meanwhile = nullptr;

        async<std::string> fetch(std::string url) const override {
            CHECK(url == "https://x/y");
            ++fetches;
            if (meanwhile) meanwhile();
            co_return text;
        }
    };
    struct test_plans final : planned_jobs {
        std::vector<planned_start> starts;

        std::vector<planned_start> planned(const std::string& /*schedule*/) const override {
            return starts;
        }
        async<std::vector<replaced_job>> apply_decisions(
            replanned_schedules /*by*/, std::string /*user*/) override {
            co_return std::vector<replaced_job>();
        }
        async<std::vector<replaced_job>> cancel(
            fleet::system_set /*systems*/, std::string /*user*/) override {
            co_return std::vector<replaced_job>();
        }
    };
    test_source source;
    test_plans planned;
    calendar_refresher refresher{
        {.windows = book, .clock = clock, .log = log, .source = source, .planned = &planned},
        {.server = "s1", .interval = 24h}};

    world() {
        REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
        put("uploaded", {.url = {}, .text = at_hour("22")});
        put("remote", {.url = "https://x/y", .text = at_hour("22"), .fetched = clock.wall()});
    }

    void put(const std::string& label, stored_calendar stored_calendar) {
        REQUIRE(run_sync(book.put_calendar(
            label, std::move(stored_calendar), write_mode::create_or_replace, "admin")));
    }
    stored_calendar remote() const { return *book.current()->calendars.at("remote").stored; }
    void look() { REQUIRE(run_sync(refresher.run_once())); }
};

TEST_CASE("a calendar with an address is fetched once a day, and an uploaded one never") {
    world on;
    on.look();
    CHECK(on.source.fetches == 0);
    on.clock.pass(23h);
    on.look();
    CHECK(on.source.fetches == 0);
    on.source.text = at_hour("23");

    on.clock.pass(4h);
    on.look();
    on.look();

    CHECK(on.source.fetches == 1);
    CHECK(on.remote().text == at_hour("23"));
    CHECK(on.remote().last_error.empty());
    CHECK(on.book.current()->calendars.at("remote").row.changed_by == "server s1");
}

TEST_CASE("a good calendar stays when its address gives no answer or none that can be used") {
    for (const result<std::string>& bad :
         {result<std::string>(fail(errc::unavailable, "x answered with 500")),
          result<std::string>("<html>sorry</html>")}) {
        world on;
        on.source.text = bad;
        on.clock.pass(27h);
        on.look();

        CHECK(on.remote().text == at_hour("22"));
        CHECK_FALSE(on.remote().last_error.empty());
        // It is tried again before a day is over; then nothing is wrong any more.
        on.source.text = at_hour("23");
        on.look();
        CHECK(on.source.fetches == 1);
        on.clock.pass(67min);
        on.look();
        CHECK(on.source.fetches == 2);
        CHECK(on.remote().text == at_hour("23"));
        CHECK(on.remote().last_error.empty());
    }
}

TEST_CASE("a calendar that would leave planned work without its window is not taken by itself") {
    world on;
    on.source.text = at_hour("23");
    REQUIRE(run_sync(on.book.put_maintenance(
        "core", {.type = "single", .calendar = "remote"}, write_mode::create, "admin")));
    const auto tomorrow = std::chrono::floor<std::chrono::days>(on.clock.wall()) + 48h;
    on.planned.starts = {{.job = "job-7", .at = wall_time(tomorrow + 22h + 30min)}};
    on.clock.pass(27h);

    on.look();

    CHECK(on.remote().text == at_hour("22"));
    CHECK(on.remote().last_error.contains("job-7"));
    CHECK(on.remote().last_error.contains("muster windows refresh remote --resolve"));
}

TEST_CASE("what somebody uploads while a calendar is fetched is not lost") {
    world on;
    on.source.text = at_hour("23");
    on.clock.pass(27h);
    // From another server, so that this one's view is the older one.
    window_store other(
        {.ledger = *on.records,
         .clock = on.clock,
         .zones = [&on](std::string_view name) { return on.zones.find(name); },
         .log = on.log});
    on.source.meanwhile = [&on, &other] {
        static_cast<void>(on);
        REQUIRE(run_sync(other.put_calendar(
            "remote", {.url = {}, .text = at_hour("05")}, write_mode::replace, "eve")));
    };

    on.look();

    CHECK(on.remote().text == at_hour("05"));
}

TEST_CASE("calendars are not all fetched at the same moment") {
    const stored_calendar of{.url = "https://x/y", .text = {}, .fetched = wall_time(1h)};
    CHECK(next_fetch("a", of, 24h) == next_fetch("a", of, 24h));
    CHECK(next_fetch("a", of, 24h) != next_fetch("b", of, 24h));
    for (const auto* const label : {"a", "b", "c"}) {
        CHECK(next_fetch(label, of, 24h) >= of.fetched + 24h);
        CHECK(next_fetch(label, of, 24h) <= of.fetched + 27h);
    }
}

TEST_CASE("a calendar from before it was fetched again can be read") {
    const auto read = decode_calendar(R"({"url":"https://x/y","text":"t"})").value();
    CHECK(read == stored_calendar{.url = "https://x/y", .text = "t"});
    const stored_calendar full{
        .url = "u", .text = "t", .fetched = wall_time(5s), .last_error = "no answer"};
    CHECK(decode_calendar(encode(full)).value() == full);
}

}  // namespace
}  // namespace muster::windows
