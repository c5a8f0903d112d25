// What operators ask about jobs, over TLS against the real parts on embedded engines. Nodes are
// what the test writes into the ledger.

#include "api/rest/jobs_api.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "tests/fixtures/api/jobs_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::api {
namespace {

using namespace test;
using site = jobs_fixture;

TEST_CASE("a job is made for whom a query means, and its counts sum to that as it goes on") {
    site fixture;
    const auto result = fixture.call(
        "POST",
        "/api/v1/jobs",
        {{"query", "web*"},
         {"function", "cmd.run"},
         {"arguments", json::object{{"cmd", "uptime"}}},
         {"batch", "50%"},
         {"timeout", "90s"},
         {"note", "why not"}});
    CHECK(number_at(result, "targets") == 2);
    CHECK(number_at(result.at("counts").as_object(), "queued") == 2);
    CHECK(result.at("options").at("batch").as_string() == "50%");
    CHECK(result.at("by").as_string() == "admin");
    const auto path = json::value_to<std::string>(result.at("href"));
    const auto id = json::value_to<std::string>(result.at("id"));
    CHECK(fixture.call("GET", path).at("stage").as_string() == "open");

    fixture.record(fixture.row(id, 1, task_state::picked_up));
    fixture.record(fixture.row(id, 2, task_state::failed));
    const auto now = fixture.call("GET", path);
    CHECK(number_at(now.at("counts").as_object(), "picked_up") == 1);
    CHECK(number_at(now, "failed") == 1);
    CHECK(number_at(now, "ended") == 1);
    const auto listed = fixture.call("GET", "/api/v1/jobs").at("items").as_array();
    REQUIRE(listed.size() == 1);
    CHECK(number_at(listed.at(0).as_object(), "ended") == 1);
}

TEST_CASE("what cannot be done is refused with what is wrong, and nothing is made") {
    site fixture;
    const auto refused = [&](const json::object& body) {
        const auto answered = fixture.send("POST", "/api/v1/jobs", body);
        CHECK(answered.status == 400);
        return answered.body;
    };
    CHECK(refused({{"function", "test.ping"}}).contains("`query`"));
    CHECK(refused({{"query", "*"}, {"function", "test.pong"}}).contains("test.pong"));
    CHECK(refused({{"query", "tga:x"}, {"function", "test.ping"}}).contains("at 1"));
    CHECK(refused({{"query", "nobody*"}, {"function", "test.ping"}}).contains("no system"));
    CHECK(refused({{"query", "*"}, {"function", "test.ping"}, {"timeout", "9"}})
              .contains("`timeout`"));
    CHECK(refused({{"query", "*"}, {"function", "test.ping"}, {"bacth", "9"}}).contains("`bacth`"));
    CHECK(refused({{"query", "*"}, {"function", "test.ping"}, {"at", "noon"}}).contains("`at`"));
    CHECK(fixture.call("GET", "/api/v1/jobs").at("items").as_array().empty());
    CHECK(fixture.send("GET", "/api/v1/jobs/20261116051234123456").status == 404);
    fixture.token = "nobody's";
    CHECK(fixture.send("GET", "/api/v1/jobs").status == 401);
}

TEST_CASE("a preview says whom it would be for and makes nothing") {
    site fixture;
    const auto output = fixture.call(
        "POST",
        "/api/v1/jobs/preview",
        {{"query", "*"}, {"function", "test.ping"}, {"canary", 1}, {"batch", 2}});
    CHECK(number_at(output, "targets") == 3);
    CHECK(number_at(output, "present") == 2);
    CHECK(number_at(output, "away") == 1);
    CHECK(number_at(output, "canaries") == 1);
    CHECK(number_at(output, "batch") == 2);
    CHECK(fixture.call("GET", "/api/v1/jobs").at("items").as_array().empty());
}

TEST_CASE("jobs in some stages alone are listed, the newest first, page by page") {
    site fixture;
    std::vector<std::string> result;
    for (int index = 0; index < 5; ++index) result.push_back(fixture.make());
    for (const auto at : {1, 3})
        fixture.call("POST", "/api/v1/jobs/" + result[static_cast<std::size_t>(at)] + "/pause", {});
    fixture.call("POST", "/api/v1/jobs/" + result[4] + "/cancel", {});
    const auto listed = [&](const std::string& question) {
        const auto page = fixture.call("GET", "/api/v1/jobs?" + question);
        std::vector<std::string> all;
        for (const auto& item : page.at("items").as_array())
            all.push_back(json::value_to<std::string>(item.at("id")));
        const auto& next = page.at("next");
        all.push_back(next.is_null() ? "" : json::value_to<std::string>(next));
        return all;
    };

    CHECK(listed("stage=paused") == std::vector<std::string>{result[3], result[1], ""});
    CHECK(listed("stage=done") == std::vector<std::string>{""});
    const auto first = listed("stage=open,paused&limit=3");
    REQUIRE(first.size() == 4);
    CHECK(
        std::vector(first.begin(), first.begin() + 3)
        == std::vector<std::string>{result[3], result[2], result[1]});
    CHECK(
        listed("stage=open,paused&limit=3&after=" + first.back())
        == std::vector<std::string>{result[0], ""});
    CHECK(fixture.send("GET", "/api/v1/jobs?stage=running").status == 400);
    CHECK(fixture.send("GET", "/api/v1/jobs?stage=open&after=zz").status == 400);
}

TEST_CASE("jobs for systems of a zone alone are listed, and pages without any are passed over") {
    site fixture;
    const auto both = fixture.make();
    const auto far = fixture.make({{"query", "db*"}});
    for (int each = 0; each < 4; ++each) fixture.make({{"query", "web*"}});
    const auto listed = [&](const std::string& question) {
        std::vector<std::string> all;
        const auto page = fixture.call("GET", "/api/v1/jobs?" + question);
        for (const auto& entry : page.at("items").as_array())
            all.push_back(json::value_to<std::string>(entry.at("id")));
        return all;
    };

    CHECK(listed("zone=far") == std::vector{far, both});
    CHECK(listed("zone=far&limit=2") == std::vector{far, both});
    CHECK(listed("zone=far&stage=open&limit=2") == std::vector{far, both});
    CHECK(listed("zone=default").size() == 5);
    CHECK(listed("zone=nowhere").empty());
}

TEST_CASE("the same Idempotency-Key is the same job") {
    site fixture;
    const json::object body{{"systems", json::array{"web1", "3"}}, {"function", "test.ping"}};
    const auto first = fixture.send("POST", "/api/v1/jobs", body, "k1");
    const auto second = fixture.send("POST", "/api/v1/jobs", body, "k1");
    CHECK(first.status == 201);
    CHECK(second.status == 200);
    CHECK(json::parse(first.body).at("id") == json::parse(second.body).at("id"));
    CHECK(
        fixture.send("POST", "/api/v1/jobs", {{"query", "*"}, {"function", "test.ping"}}, "k1")
            .status
        == 409);
    CHECK(fixture.call("GET", "/api/v1/jobs").at("items").as_array().size() == 1);
}

TEST_CASE("tasks are listed by state, those without a record too, and every change is audited") {
    site fixture;
    const auto id = fixture.make();
    const auto path = "/api/v1/jobs/" + id;
    fixture.record(fixture.row(id, 1, task_state::completed));
    auto queued = fixture.call("GET", path + "/tasks?state=queued&limit=1");
    CHECK(number_at(queued, "total") == 2);
    CHECK(queued.at("items").at(0).at("name").as_string() == "web2");
    const auto after = json::value_to<std::string>(queued.at("next"));
    queued = fixture.call("GET", path + "/tasks?state=queued&limit=1&after=" + after);
    CHECK(queued.at("items").at(0).at("name").as_string() == "db3");
    CHECK(queued.at("next").is_null());

    CHECK(
        fixture.call("POST", path + "/pause", {{"note", "tea"}}).at("stage").as_string()
        == "paused");
    CHECK(fixture.call("POST", path + "/resume").at("stage").as_string() == "open");
    CHECK(fixture.send("POST", path + "/retry").status == 409);
    fixture.record(fixture.row(id, 2, task_state::failed));
    const auto again = fixture.call("POST", path + "/retry");
    CHECK(again.at("id").as_string() != json::string(id));
    CHECK(number_at(again, "targets") == 1);
    const auto gone = fixture.call("POST", path + "/cancel", {{"force", true}});
    CHECK(gone.at("stage").as_string() == "cancelling");
    CHECK(gone.at("kill_running").as_bool());
    CHECK(fixture.send("POST", path + "/resume").status == 409);

    const auto trail = run_sync(fixture.records->read({.table = "audit"})).value();
    std::vector<std::string> deeds;
    for (const auto& row : trail.rows) deeds.push_back(std::get<std::string>(row.at(3)));
    for (const auto* const what :
         {"jobs.create", "jobs.pause", "jobs.resume", "jobs.retry", "jobs.cancel"})
        CHECK(std::ranges::count(deeds, what) >= 1);
}

TEST_CASE("what tasks returned is shown, one by one and alike ones together") {
    site fixture;
    const auto id = fixture.make();
    const auto path = "/api/v1/jobs/" + id;
    auto first = fixture.row(id, 1, task_state::completed);
    first.inline_payload = R"({"stdout":"same","stderr":""})";
    fixture.record(first);
    auto second = first;
    second.system = 2;
    fixture.record(second);
    auto third = fixture.row(id, 3, task_state::failed);
    third.exit_code = 3;
    third.digest = pki::sha256("much");
    fixture.record(third);

    CHECK(
        fixture.call("GET", path + "/tasks/web1").at("output").at("stdout").as_string() == "same");
    const auto pending = fixture.call("GET", path + "/tasks/3");
    CHECK(number_at(pending, "exit_code") == 3);
    CHECK(pending.at("output_pending").as_bool());
    CHECK(fixture.send("GET", path + "/payloads/" + to_hex(third.digest)).status == 404);
    const auto groups = fixture.call("GET", path + "/results").at("items").as_array();
    REQUIRE(groups.size() == 2);
    CHECK(groups.at(0).at("state").as_string() == "failed");
    CHECK(groups.at(1).at("count").to_number<int>() == 2);
    CHECK(groups.at(1).at("examples").at(0).at("name").as_string() == "web1");
    const auto history = fixture.call("GET", "/api/v1/systems/web1/tasks").at("items").as_array();
    REQUIRE(history.size() == 1);
    CHECK(history.at(0).at("job").as_string() == json::string(id));
}

TEST_CASE("why a task is where it is, in a sentence") {
    site fixture;
    const auto id = fixture.make();
    const auto path = "/api/v1/jobs/" + id + "/tasks/";
    CHECK(fixture.call("GET", path + "web1/why").at("cause").as_string() == "turn");
    CHECK(fixture.call("GET", path + "db3/why").at("cause").as_string() == "away");
    fixture.record(fixture.row(id, 1, task_state::picked_up));
    const auto running = fixture.call("GET", path + "web1/why");
    CHECK(running.at("cause").as_string() == "running");
    CHECK(json::value_to<std::string>(running.at("sentence")).contains("via node n1"));
    fixture.call("POST", "/api/v1/jobs/" + id + "/pause");
    CHECK(fixture.call("GET", path + "web2/why").at("cause").as_string() == "paused");
    CHECK(fixture.send("GET", path + "nobody/why").status == 404);
}

std::vector<json::object> events_in(const http::client_response& answered) {
    std::vector<json::object> events;
    std::size_t at = 0;
    while (true) {
        at = answered.body.find("data: ", at);
        if (at == std::string::npos) return events;
        at += 6;
        const auto end = answered.body.find('\n', at);
        events.push_back(json::parse(answered.body.substr(at, end - at)).as_object());
    }
}

TEST_CASE("events tell every return, failures before successes, and go on where a client was") {
    site fixture;
    const auto id = fixture.make();
    const auto path = "/api/v1/jobs/" + id + "/events?tasks=all";
    fixture.record(fixture.row(id, 1, task_state::completed));
    fixture.record(fixture.row(id, 2, task_state::failed));
    auto early = events_in(fixture.send("GET", path + "&for=1ms"));
    REQUIRE(early.size() == 3);
    CHECK(early.at(0).at("name").as_string() == "web2");
    CHECK(early.at(1).at("name").as_string() == "web1");
    CHECK(early.at(2).at("kind").as_string() == "progress");
    const auto at = json::value_to<std::string>(early.back().at("at"));

    fixture.record(fixture.row(id, 3, task_state::completed));
    const auto late = events_in(fixture.send("GET", path + "&from=" + at));
    REQUIRE(late.size() == 2);
    CHECK(late.at(0).at("name").as_string() == "db3");
    CHECK(late.at(1).at("kind").as_string() == "end");
    CHECK(number_at(late.at(1), "ended") == 3);
    const auto all = events_in(fixture.send("GET", path));
    CHECK(all.size() == 4);
    const auto failures = events_in(fixture.send("GET", "/api/v1/jobs/" + id + "/events"));
    CHECK(failures.size() == 2);
    CHECK(fixture.send("GET", path + "&from=x").status == 400);
}

}  // namespace
}  // namespace muster::api
