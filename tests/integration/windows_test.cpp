// Windows and schedules as people meet them: by the command line, against a real server.

#include "tests/integration/muster_server.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

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

TEST_CASE("what is wrong with a calendar or an expression is told, with exit code 2") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);

    const auto bad = server.cli(
        {"windows", "add", file_with(server, "bad.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n")});
    CHECK(bad.exit_code == 2);
    CHECK(bad.output.contains("line 2: BEGIN:VEVENT is never closed"));
    const auto cron = server.cli(
        {"schedules", "add", "x", "--cron", "0 25 * * *", "--query", "*", "--function", "f"});
    CHECK(cron.exit_code == 2);
    CHECK(cron.output.contains("'25' is no hour"));
    CHECK(server.cli({"windows", "show", "x", "--zone", "Mars/Base"}).exit_code == 2);
    CHECK(server.cli({"windows", "add", "/nonexistent.ics"}).exit_code == 2);
}

}  // namespace
}  // namespace muster::integration
