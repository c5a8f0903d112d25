// Windows and schedules as people meet them: by the command line, against a real server.

#include "base/iso_time.h"
#include "runtime/clock.h"
#include "tests/harness/until.h"
#include "tests/integration/muster_server.h"
#include "tests/integration/small_fleet.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace muster::integration {
namespace {

namespace json = boost::json;

constexpr auto nights =
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Core\r\n"
    "DTSTART;TZID=Europe/Berlin:20261116T220000\r\nDURATION:PT4H\r\nRRULE:FREQ=DAILY;COUNT=2\r\n"
    "END:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:SAP\r\nDTSTART;VALUE=DATE:20300101\r\n"
    "RRULE:FREQ=YEARLY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

std::string file_with(const muster_server& server, const std::string& name, const char* text) {
    const auto path = server.data().parent_path() / name;
    std::ofstream(path) << text;
    return path.string();
}

TEST_CASE("windows come from a file, are shown as a calendar, and outlive a kill -9") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    const auto run = [&](std::vector<std::string> words) {
        const auto done = server.cli(std::move(words));
        REQUIRE_MESSAGE(done.exit_code == 0, done.output);
        return done.output;
    };

    run({"windows", "add", file_with(server, "sites.ics", nights), "--multi"});
    run({"windows", "add", "--none", "frozen"});
    run({"windows", "assign", "SAP", "name:*"});
    run(
        {"schedules",
         "add",
         "nightly",
         "--cron",
         "30 2 * * *",
         "--zone",
         "Europe/Berlin",
         "--query",
         "name:web*",
         "--function",
         "cmd.run",
         "--argument",
         "uptime"});
    server.kill();
    server.start_and_wait_until_ready();

    const auto listed = json::parse(run({"windows", "-o", "json"})).as_array();
    REQUIRE(listed.size() == 3);
    CHECK(listed[0].at("name").as_string() == "Core");
    CHECK(listed[2].at("type").as_string() == "none");
    const auto month =
        run({"windows", "show", "Core", "--month", "2026-11", "--zone", "Europe/Berlin"});
    CHECK(month.contains("November 2026, Europe/Berlin"));
    CHECK(month.contains(" 16 Mon  22:00-02:00 (+1)\n 17 Tue  22:00-02:00 (+1)\n"));
    CHECK(run({"windows", "show", "Core", "--week", "2026-11-16"}).contains("####"));
    const auto next = json::parse(run({"windows", "next", "SAP", "-n", "3", "-o", "json"}));
    CHECK(next.at(0).at("closes").as_string() == "2030-01-02T00:00:00Z");
    CHECK(run({"schedules", "show", "nightly"}).contains("30 2 * * *"));
    CHECK(json::parse(run({"schedules", "-o", "json"})).as_array().size() == 1);
}

TEST_CASE("a command waits where no window is open, says so before it starts, and can be forced") {
    const small_fleet fleet;
    fleet.told({"windows", "add", "--none", "frozen"});
    fleet.told({"windows", "assign", "frozen", "web2"});

    const auto begun = fleet.told({"run", "web*", "--async", "--", "true"});
    CHECK(begun.contains("1 of 2 systems wait for their maintenance window"));
    CHECK(begun.contains("--window override"));
    const auto job = begun.substr(begun.rfind('\n') + 1);
    harness::eventually("the other one ends", [&] {
        return fleet.job(job).at("counts").at("completed").to_number<int>() == 1;
    });
    CHECK(fleet.why(job, "web2").contains("maintenance schedule \"frozen\" has no windows"));
    CHECK(fleet.job(job).at("counts").at("queued").to_number<int>() == 1);

    const auto ping = fleet.server.cli({"run", "web2", "--function", "test.ping"});
    CHECK_MESSAGE(ping.exit_code == 0, ping.output);
    const auto forced = fleet.server.cli({"run", "web2", "--window", "override", "--", "true"});
    CHECK_MESSAGE(forced.exit_code == 0, forced.output);
    const auto everything = fleet.server.cli({"run", "*", "--", "true"});
    CHECK(everything.exit_code == 2);
    CHECK(everything.output.contains("--yes"));
}

TEST_CASE("a schedule that is due becomes a job, without the systems outside of their windows") {
    const small_fleet fleet;
    const runtime::system_clock clock;
    const auto mark = fleet.home.path() / "mark";
    fleet.told({"windows", "add", "--none", "frozen"});
    fleet.told({"windows", "assign", "frozen", "web2"});
    const auto soon =
        std::chrono::ceil<std::chrono::seconds>(clock.wall()) + std::chrono::seconds(2);

    fleet.told(
        {"schedules",
         "add",
         "soon",
         "--at",
         iso_time(soon),
         "--query",
         "web*",
         "--function",
         "cmd.run",
         "--argument",
         "touch",
         "--argument",
         mark.string()});
    harness::eventually("it runs", [&] { return std::filesystem::exists(mark); });

    const auto jobs = json::parse(fleet.told({"jobs", "-o", "json"})).as_array();
    REQUIRE(jobs.size() == 1);
    const auto result = fleet.job(json::value_to<std::string>(jobs[0].at("id")));
    CHECK(result.at("by").as_string() == "schedule soon");
    CHECK(result.at("targets").to_number<int>() == 1);
    CHECK(result.at("options").at("windows").as_string() == "respect");
    CHECK(
        json::parse(fleet.told({"schedules", "show", "soon", "-o", "json"})).at("next").is_null());
}

TEST_CASE("what is wrong with a calendar or an expression is told, with exit code 2") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);

    const auto bad = server.cli(
        {"windows", "add", file_with(server, "bad.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n")});
    CHECK(bad.exit_code == 2);
    CHECK(bad.output.contains("line 2: BEGIN:VEVENT has no END"));
    const auto add = [&](const std::string& cron, const std::string& function) {
        return server.cli(
            {"schedules", "add", "x", "--cron", cron, "--query", "*", "--function", function});
    };
    const auto cron = add("0 25 * * *", "test.ping");
    CHECK(cron.exit_code == 2);
    CHECK(cron.output.contains("invalid hour \"25\""));
    const auto function = add("0 5 * * *", "test.pong");
    CHECK(function.exit_code == 2);
    CHECK(function.output.contains("test.pong"));
    CHECK(server.cli({"windows", "show", "x", "--zone", "Mars/Base"}).exit_code == 2);
    CHECK(server.cli({"windows", "add", "/nonexistent.ics"}).exit_code == 2);
}

}  // namespace
}  // namespace muster::integration
