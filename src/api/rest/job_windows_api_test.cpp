// Jobs and maintenance windows, over TLS against the real parts on embedded engines. Nodes are
// what the test writes into the ledger.

#include "api/rest/jobs_api.h"
#include "base/iso_time.h"
#include "tests/fixtures/api/jobs_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::api {
namespace {

using namespace test;
using site = jobs_fixture;

TEST_CASE("starting outside of windows in an emergency is audited, and refused if policy says so") {
    site fixture;
    const json::object body{{"query", "*"}, {"function", "test.ping"}, {"windows", "override"}};
    fixture.call("POST", "/api/v1/jobs", body);
    fixture.windows.emergencies = false;

    const auto refused = fixture.send("POST", "/api/v1/jobs", body);

    CHECK(refused.status == 403);
    CHECK(refused.body.contains("forbidden by policy"));
    CHECK(fixture.send("POST", "/api/v1/jobs/preview", body).status == 403);
    CHECK(fixture.call("GET", "/api/v1/jobs").at("items").as_array().size() == 1);
    const auto trail = run_sync(fixture.records->read({.table = "audit"})).value();
    std::vector<std::string> responses;
    for (const auto& row : trail.rows) {
        if (std::get<std::string>(row.at(3)) != "jobs.create") continue;
        std::string all;
        for (const auto& cell : row)
            if (const auto* const text = std::get_if<std::string>(&cell)) all += *text + " ";
        responses.push_back(std::move(all));
    }
    REQUIRE(responses.size() == 2);
    for (const auto& response : responses)
        CHECK(response.contains("maintenance windows overridden"));
    CHECK(
        std::ranges::count_if(
            responses,
            [](const auto& each) {
                return each.contains("refused") && each.contains("forbidden by policy");
            })
        == 1);
}

TEST_CASE("a job whose systems wait for a window says so instead of estimating its end") {
    site fixture;
    fixture.windows.scheduled = {system_number(1), system_number(2)};
    fixture.windows.opens = parse_iso_time("2026-11-18T02:00:00Z").value();
    const auto created = fixture.call("POST", "/api/v1/jobs", site::command("web*"));
    const auto path = json::value_to<std::string>(created.at("href"));

    const auto shown = fixture.call("GET", path);

    const json::value nights{
        {{"schedule", "nights"}, {"systems", 2}, {"opens", "2026-11-18T02:00:00Z"}}};
    CHECK(shown.at("waiting") == nights);
    CHECK(shown.at("eta_seconds").is_null());
    CHECK(fixture.call("GET", "/api/v1/jobs").at("items").at(0).at("waiting") == nights);
    fixture.record(
        fixture.row(json::value_to<std::string>(created.at("id")), 1, task_state::completed));
    CHECK(number_at(fixture.call("GET", path).at("waiting").at(0).as_object(), "systems") == 1);
    fixture.windows.scheduled = {};
    CHECK(fixture.call("GET", path).at("waiting").as_array().empty());
}

TEST_CASE("the tasks of a system begin with those that have not started") {
    site fixture;
    fixture.windows.scheduled = {system_number(1)};
    const auto ended = fixture.make();
    fixture.record(fixture.row(ended, 1, task_state::completed));
    const auto waiting = fixture.call("POST", "/api/v1/jobs", site::command("web1")).at("id");
    REQUIRE(run_sync(fixture.open_jobs.refresh()));

    const auto tasks = fixture.call("GET", "/api/v1/systems/web1/tasks").at("items").as_array();

    REQUIRE(tasks.size() == 2);
    CHECK(tasks.at(0).at("job") == waiting);
    CHECK(tasks.at(0).at("state") == "queued");
    CHECK(tasks.at(0).at("waiting").at("schedule") == "nights");
    CHECK(tasks.at(1).at("job").as_string() == ended);
    CHECK(fixture.call("GET", "/api/v1/systems/db3/tasks").at("items").as_array().size() == 1);
}

TEST_CASE("what waits for windows is listed with the systems where it has not started") {
    site fixture;
    fixture.windows.scheduled = {system_number(1)};
    fixture.call("POST", "/api/v1/jobs", {{"query", "*"}, {"function", "test.ping"}});
    const json::object waits{{"query", "*"}, {"function", "test.ping"}, {"windows", "respect"}};
    const auto result = fixture.call("POST", "/api/v1/jobs", waits);

    const auto response = fixture.call("GET", "/api/v1/windows/plans");

    REQUIRE(response.at("items").as_array().size() == 1);
    CHECK(response.at("items").at(0).at("job") == result.at("id"));
    CHECK(number_at(response.at("items").at(0).as_object(), "waiting") == 3);
    CHECK(number_at(response, "beyond") == 0);
    fixture.call("POST", json::value_to<std::string>(result.at("href")) + "/cancel", {});
    CHECK(fixture.call("GET", "/api/v1/windows/plans").at("items").as_array().empty());
}

TEST_CASE("work for systems without windows is not among what waits for windows") {
    site fixture;
    fixture.call("POST", "/api/v1/jobs", fixture.command("*"));

    CHECK(fixture.call("GET", "/api/v1/windows/plans").at("items").as_array().empty());
}

TEST_CASE("what changes systems waits for their windows, what changes nothing does not") {
    site fixture;
    const auto rule = [&](json::object body) {
        body["query"] = "*";
        const auto foreseen = fixture.call("POST", "/api/v1/jobs/preview", body);
        const auto result = fixture.call("POST", "/api/v1/jobs", body);
        CHECK(foreseen.at("windows") == result.at("options").at("windows"));
        CHECK(foreseen.at("changes").as_bool() == (foreseen.at("windows") != "ignore"));
        CHECK(number_at(foreseen, "fleet") == 3);
        return json::value_to<std::string>(result.at("options").at("windows"));
    };

    CHECK(rule({{"function", "system.reboot"}}) == "respect");
    CHECK(rule(fixture.command("*")) == "respect");
    CHECK(rule({{"function", "test.ping"}}) == "ignore");
    auto start = fixture.command("*");
    start["windows"] = "start";
    CHECK(rule(start) == "start");
}

TEST_CASE("to change systems outside of their windows is an override, whatever it is called") {
    site fixture;
    fixture.windows.scheduled = {system_number(3)};
    auto ignoring = fixture.command("*");
    ignoring["windows"] = "ignore";
    auto elsewhere = fixture.command("web*");
    elsewhere["windows"] = "ignore";

    const auto result = fixture.call("POST", "/api/v1/jobs", ignoring);
    CHECK(result.at("options").at("windows") == "override");
    CHECK(fixture.call("POST", "/api/v1/jobs", elsewhere).at("options").at("windows") == "ignore");
    fixture.windows.emergencies = false;
    CHECK(fixture.send("POST", "/api/v1/jobs", ignoring).status == 403);
    CHECK(fixture.send("POST", "/api/v1/jobs", elsewhere).status == 201);
}

TEST_CASE("who lacks the right to start outside of windows is refused, with what to do instead") {
    site fixture;
    fixture.windows.scheduled = {system_number(3)};
    fixture.token = fixture.log_in("olga", {{.role = "operator", .zone = ""}});
    const auto request = [&](const std::string& query, const std::string& rule) {
        auto body = fixture.command(query);
        if (!rule.empty()) body["windows"] = rule;
        return fixture.send("POST", "/api/v1/jobs", body);
    };

    const auto refused = request("*", "ignore");
    CHECK(refused.status == 403);
    CHECK(refused.body.contains("1 of the target systems have maintenance windows"));
    CHECK(refused.body.contains("windows.override"));
    CHECK(request("*", "override").status == 403);
    CHECK(request("*", "").status == 201);
    CHECK(request("*", "start").status == 201);
    CHECK(request("web*", "ignore").status == 201);
    const json::object ping{{"query", "*"}, {"function", "test.ping"}, {"windows", "ignore"}};
    CHECK(fixture.send("POST", "/api/v1/jobs", ping).status == 201);
}

}  // namespace
}  // namespace muster::api
