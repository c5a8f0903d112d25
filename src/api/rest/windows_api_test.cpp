// What admins ask about windows and schedules, over TLS against the real parts on embedded engines.

#include "api/rest/windows_api.h"

#include "api/rest/windows_json.h"
#include "tests/fixtures/api/windows_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace muster::api {
namespace {

using namespace test;
using site = windows_fixture;

TEST_CASE("a calendar is uploaded, schedules made of it, and systems given them by a query") {
    site fixture;
    fixture.make_schedules();

    const auto done =
        fixture.call("POST", "/api/v1/windows/schedules/Core/assign", {{"query", "name:web*"}});
    CHECK(done.at("systems").to_number<int>() == 2);
    const auto moved =
        fixture.call("POST", "/api/v1/windows/schedules/Always/assign", {{"query", "name:web2"}});
    CHECK(moved.at("had_another").to_number<int>() == 1);

    const auto listed = fixture.call("GET", "/api/v1/windows").at("items").as_array();
    REQUIRE(listed.size() == 2);
    CHECK(listed[0].at("name").as_string() == "Always");
    CHECK(listed[0].at("open").as_bool());
    CHECK(listed[1].at("systems").to_number<int>() == 1);
    const auto of_core = fixture.call("GET", "/api/v1/windows/systems?schedule=Core");
    CHECK(of_core.at("items").at(0).at("name").as_string() == "web1");
    const auto next = fixture.call("GET", "/api/v1/windows/schedules/Core/times?count=3");
    CHECK(next.at("items").as_array().size() == 3);
    const auto between = fixture.call(
        "GET",
        "/api/v1/windows/schedules/Core/times?from=2026-11-16T12:00:00Z&to=2026-11-17T00:00:00Z");
    CHECK(
        between.at("items").at(0)
        == json::value{{"opens", "2026-11-16T21:00:00Z"}, {"closes", "2026-11-17T01:00:00Z"}});
    fixture.call("POST", "/api/v1/windows/unassign", {{"query", "name:*"}});
    CHECK(fixture.send("DELETE", "/api/v1/windows/schedules/Core").status == 200);
}

TEST_CASE("all windows of a span are one sheet, with what lies before and behind") {
    site fixture;
    fixture.make_schedules();
    const std::string path = "/api/v1/windows/calendar?schedule=Core";

    const auto sheet =
        fixture.call("GET", path + "&from=2026-11-16T12:00:00Z&to=2026-11-17T12:00:00Z");

    REQUIRE(sheet.at("items").as_array().size() == 1);
    CHECK(sheet.at("items").at(0).at("schedule").as_string() == "Core");
    CHECK(sheet.at("items").at(0).at("opens").as_string() == "2026-11-16T21:00:00Z");
    CHECK_FALSE(sheet.at("more").as_bool());
    CHECK(sheet.at("after").as_string() > "2026-11-17T12:00:00Z");
    const auto all = fixture.call(
        "GET", "/api/v1/windows/calendar?from=2026-11-16T12:00:00Z&to=2026-11-17T12:00:00Z");
    CHECK(all.at("items").as_array().size() > 1);
    CHECK(
        fixture.send("GET", path + "&from=2026-11-16T12:00:00Z&to=2028-01-01T00:00:00Z").status
        == 400);
    CHECK(
        fixture.send("GET", path + "&from=2026-11-16T12:00:00Z&to=2026-11-16T12:00:00Z").status
        == 400);
    CHECK(fixture.send("GET", "/api/v1/windows/calendar?schedule=nobody").status == 404);
}

TEST_CASE("who is in a window now is told") {
    site fixture;
    fixture.make_schedules();
    fixture.call("POST", "/api/v1/windows/schedules/Always/assign", {{"query", "name:db*"}});

    const auto open = fixture.call("GET", "/api/v1/windows/systems");

    CHECK(open.at("systems").to_number<int>() == 1);
    CHECK(open.at("items").at(0).at("name").as_string() == "db3");
}

TEST_CASE("a calendar is fetched over https from a server that can be trusted") {
    site fixture;

    fixture.call(
        "POST",
        "/api/v1/windows/calendars",
        {{"label", "remote"}, {"url", fixture.address() + "/nights.ics"}});

    CHECK(fixture.call("GET", "/api/v1/windows/calendars/remote").at("text").as_string() == nights);
    CHECK(fixture.send("POST", "/api/v1/windows/calendars/remote/refresh").status == 200);
    const auto remote = fixture.call("GET", "/api/v1/windows/calendars/remote");
    CHECK(remote.at("fetched").is_string());
    CHECK(remote.at("last_error").is_null());
    const auto refused = [&](const std::string& url) {
        return fixture.send("POST", "/api/v1/windows/calendars", {{"label", "other"}, {"url", url}})
            .status;
    };
    CHECK(refused(fixture.address() + "/nothing.ics") == 409);
    CHECK(refused("http://127.0.0.1/nights.ics") == 400);
    CHECK(refused("file:///etc/passwd") == 400);
    std::filesystem::remove(fixture.where.path() / "authorities.pem");
    CHECK(refused(fixture.address() + "/nights.ics") == 503);
}

TEST_CASE("replacing a calendar moves what is planned in its windows, by the strategies given") {
    site fixture;
    fixture.make_schedules();
    fixture.planned.plans = {
        {.job = "job-7",
         .at = std::chrono::sys_days(std::chrono::year(2090) / 11 / 16) + std::chrono::hours(22)}};
    std::string later = nights;
    later.erase(
        later.find("BEGIN:VEVENT\r\nSUMMARY:Always"),
        later.rfind("END:VCALENDAR") - later.find("BEGIN:VEVENT\r\nSUMMARY:Always"));
    later.replace(later.find("T220000"), 7, "T010000");

    const auto path = "/api/v1/windows/calendars/nights";
    CHECK(fixture.send("PUT", path, {{"text", later}}).status == 409);
    CHECK(fixture.planned.replanned.empty());
    const auto done =
        fixture.call("PUT", path, {{"text", later}, {"resolve_strategy", "Next,Cancel"}});

    CHECK(done.at("replanned").as_array().size() == 2);  // of both schedules
    CHECK(
        json::serialize(done.at("replaced_jobs")) == R"([{"job":"job-7","goes_on_as":["job-8"]}])");
    REQUIRE(fixture.planned.replanned.size() == 2);
    CHECK(std::holds_alternative<windows::cancelled>(
        fixture.planned.replanned[0].action));  // Always is gone
    CHECK(std::holds_alternative<windows::moved>(fixture.planned.replanned[1].action));
}

TEST_CASE("who cannot have everything re-planned is told what is in force and what is not") {
    site fixture;
    fixture.make_schedules();
    fixture.planned.plans = {
        {.job = "job-7",
         .at = std::chrono::sys_days(std::chrono::year(2090) / 11 / 16) + std::chrono::hours(22)}};
    fixture.planned.failing = "the ledger is away";
    std::string later = nights;
    later.replace(later.find("T220000"), 7, "T010000");

    const auto half = fixture.send(
        "PUT",
        "/api/v1/windows/calendars/nights",
        {{"text", later}, {"resolve_strategy", "Next,Cancel"}});

    CHECK(half.status == 503);
    CHECK(half.body.contains(R"(calendar \"nights\" was saved)"));
    CHECK(half.body.contains("job-7: the ledger is away"));
    CHECK(fixture.call("GET", "/api/v1/windows/calendars/nights").at("text").as_string() == later);
    REQUIRE(fixture.deeds("calendars.replace").size() == 1);
    CHECK(fixture.deeds("calendars.replace")[0].contains("was saved, but"));
    CHECK_FALSE(fixture.deeds("calendars.replace")[0].contains("refused"));

    const auto input =
        fixture.send("POST", "/api/v1/windows/schedules/Core/assign", {{"query", "name:web*"}});
    CHECK(input.status == 503);
    CHECK(input.body.contains(R"(maintenance schedule \"Core\" was assigned)"));
    CHECK(input.body.contains("the ledger is away"));
    CHECK(
        fixture.call("GET", "/api/v1/windows/systems?schedule=Core").at("systems").to_number<int>()
        == 2);
    CHECK(fixture.deeds("windows.assign").at(0).contains("were not cancelled"));
}

TEST_CASE("a schedule is made, shown with its runs, paused and removed") {
    site fixture;

    fixture.call(
        "POST",
        "/api/v1/schedules",
        {{"name", "nightly"},
         {"cron", "30 2 * * *"},
         {"zone", "Europe/Berlin"},
         {"query", "name:web*"},
         {"function", "cmd.run"},
         {"arguments", json::array{"uptime"}},
         {"batch", "10%"},
         {"rate", 2.5},
         {"canary", 3},
         {"max_failures", "1"}});

    const auto output = fixture.call("GET", "/api/v1/schedules/nightly");
    CHECK(output.at("runs").as_array().size() == 5);
    CHECK(output.at("arguments") == json::array{"uptime"});
    const auto paused = fixture.call("PATCH", "/api/v1/schedules/nightly", {{"active", false}});
    CHECK(paused.at("next").is_null());
    CHECK(paused.at("cron").as_string() == "30 2 * * *");
    CHECK(paused.at("options").at("batch").as_string() == "10%");
    CHECK(paused.at("options").at("rate").as_double() == 2.5);
    CHECK(paused.at("options").at("canary").as_string() == "3");
    const auto bare =
        fixture.call("PATCH", "/api/v1/schedules/nightly", {{"batch", ""}, {"rate", 0}});
    CHECK(bare.at("options").at("batch").is_null());
    CHECK(bare.at("options").at("rate").is_null());
    CHECK(bare.at("options").at("max_failures").as_string() == "1");
    CHECK(fixture.send("PATCH", "/api/v1/schedules/nightly", {{"batch", "many"}}).status == 400);
    CHECK(fixture.send("PATCH", "/api/v1/schedules/nightly", {{"rate", -1}}).status == 400);
    CHECK(fixture.call("GET", "/api/v1/schedules").at("items").as_array().size() == 1);
    fixture.call("DELETE", "/api/v1/schedules/nightly");
    CHECK(fixture.send("GET", "/api/v1/schedules/nightly").status == 404);
}

TEST_CASE("a calendar that a schedule is given stays with it, or is refused") {
    site fixture;
    fixture.make_schedules();
    const std::string at = "/api/v1/windows/schedules/";
    fixture.call("POST", "/api/v1/windows/schedules", {{"name", "Later"}, {"type", "single"}});
    CHECK(fixture.call("GET", at + "Later").at("opens").is_null());

    const auto input = fixture.call("PATCH", at + "Later", {{"calendar", "nights"}});
    CHECK(input.at("calendar").as_string() == "nights");
    CHECK(input.at("opens").is_string());
    CHECK(fixture.call("PATCH", at + "Later", {{"type", "none"}}).at("calendar").as_string() == "");
    const auto refused = fixture.send("PATCH", at + "Later", {{"calendar", "nights"}});
    CHECK(refused.status == 400);
    CHECK(refused.body.contains("use type single or multi"));
}

TEST_CASE("a schedule that changes systems outside of their windows needs the right to do so") {
    site fixture;
    const auto anyway = [](const std::string& name, const std::string& function) {
        return json::object{
            {"name", name},
            {"cron", "@daily"},
            {"query", "*"},
            {"function", function},
            {"maintenance_only", false}};
    };
    fixture.call("POST", "/api/v1/schedules", anyway("reboots", "system.reboot"));
    fixture.token = fixture.log_in("olga", {{.role = "operator", .zone = ""}});

    const auto refused = fixture.send("POST", "/api/v1/schedules", anyway("more", "system.reboot"));
    CHECK(refused.status == 403);
    CHECK(refused.body.contains("windows.override"));
    CHECK(fixture.send("POST", "/api/v1/schedules", anyway("pings", "test.ping")).status == 201);
    CHECK(fixture.send("PATCH", "/api/v1/schedules/reboots", {{"query", "name:a"}}).status == 403);
    CHECK(fixture.send("PATCH", "/api/v1/schedules/reboots", {{"active", false}}).status == 200);
}

TEST_CASE("a schedule that deploys configuration is for who may look at all systems") {
    site fixture;
    const json::object nightly{
        {"name", "nightly"},
        {"cron", "@daily"},
        {"query", "*"},
        {"function", "configuration.deploy"},
        {"arguments", json::object{{"dry_run", true}}},
        {"maintenance_only", false}};
    auto roles = access::built_in_roles();
    roles["planner"] = {access::right::jobs_run, access::right::schedules_change};
    auto existing = std::make_shared<people::people_snapshot>();
    existing->role_rights = std::make_shared<const access::roles>(std::move(roles));
    fixture.people.known.publish(std::move(existing));

    fixture.token = fixture.log_in("pia", {{.role = "planner", .zone = ""}});
    const auto refused = fixture.send("POST", "/api/v1/schedules", nightly);
    fixture.token = fixture.log_in("olga", {{.role = "operator", .zone = ""}});
    const auto result = fixture.send("POST", "/api/v1/schedules", nightly);
    const json::object wrong{{"arguments", json::object{{"chanel", "motd"}}}};

    CHECK(refused.status == 403);
    CHECK(refused.body.contains("fleet.read"));
    CHECK(result.status == 201);  // it only compares: windows do not matter
    CHECK(fixture.send("PATCH", "/api/v1/schedules/nightly", wrong).status == 400);
    CHECK(fixture.send("PATCH", "/api/v1/schedules/nightly", {{"function", "f"}}).status == 400);
}

TEST_CASE("what is wrong with a request about windows is said") {
    site fixture;
    fixture.make_schedules();
    const auto post = [&](const std::string& path, json::object body) {
        const auto answered = fixture.send("POST", path, std::move(body));
        return std::to_string(answered.status) + " " + answered.body;
    };

    CHECK(post("/api/v1/windows/calendars", {{"label", "x"}, {"text", "BEGIN:VCALENDAR"}})
              .contains("line 1: BEGIN:VCALENDAR has no END"));
    CHECK(post("/api/v1/windows/calendars", {{"label", "nights"}, {"text", nights}})
              .starts_with("409"));
    CHECK(post(
              "/api/v1/windows/schedules",
              {{"name", "Sap"}, {"type", "multi"}, {"calendar", "nights"}})
              .starts_with("400"));
    CHECK(
        post("/api/v1/windows/schedules/Nobody/assign", {{"query", "name:*"}}).starts_with("404"));
    CHECK(post("/api/v1/windows/schedules/Core/assign", {{"query", "name:("}}).starts_with("400"));
    CHECK(post(
              "/api/v1/schedules",
              {{"name", "x"}, {"cron", "61 * * * *"}, {"query", "*"}, {"function", "test.ping"}})
              .contains("minute"));
    CHECK(fixture.send("GET", "/api/v1/windows/schedules/Core/times?count=0").status == 400);
    CHECK(fixture.send("DELETE", "/api/v1/windows/calendars/nights").status == 409);
    fixture.token = "nobody";
    CHECK(fixture.send("GET", "/api/v1/windows").status == 401);
    CHECK(fixture.send("POST", "/api/v1/schedules", {{"name", "x"}}).status == 401);
}

TEST_CASE("starting outside of windows can be disabled by policy") {
    site fixture;

    CHECK(fixture.call("GET", "/api/v1/windows/policy").at("emergency_override").as_bool());
    fixture.call("PUT", "/api/v1/windows/policy", {{"emergency_override", false}});
    CHECK_FALSE(fixture.call("GET", "/api/v1/windows/policy").at("emergency_override").as_bool());
}

TEST_CASE("the JSON of a forecast has windows, waiting systems and systems without a schedule") {
    jobs::window_forecast forecast;
    const wall_time opens(std::chrono::hours(20));
    forecast.counts.windows.push_back(
        {.schedule = "core",
         .window = {.opens = opens, .closes = opens + std::chrono::hours(1)},
         .finished = 3});
    forecast.counts.rest.push_back(
        {.schedule = "late", .systems = 2, .reason = "no window is left"});
    forecast.counts.without_schedule = 1;
    forecast.waiting = {.count = 5, .opens = opens};
    forecast.expected = std::chrono::seconds(90);

    const auto shown = forecast_json(forecast);

    CHECK(shown.at("windows").at(0).at("schedule").as_string() == "core");
    CHECK(shown.at("windows").at(0).at("finished").to_number<int>() == 3);
    CHECK(shown.at("windows").at(0).at("opens").as_string() == "1970-01-01T20:00:00Z");
    CHECK(shown.at("rest").at(0).at("schedule").as_string() == "late");
    CHECK(shown.at("rest").at(0).at("systems").to_number<int>() == 2);
    CHECK(shown.at("rest").at(0).at("why").as_string() == "no window is left");
    CHECK(shown.at("without_schedule").to_number<int>() == 1);
    CHECK(shown.at("expected_seconds").to_number<int>() == 90);
    CHECK(shown.at("waiting").to_number<int>() == 5);
    CHECK(shown.at("opens").as_string() == "1970-01-01T20:00:00Z");
    CHECK(forecast_json({}).at("opens").is_null());
}

}  // namespace
}  // namespace muster::api
