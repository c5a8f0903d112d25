// The relations of Salt's PostgreSQL job cache, asked as Salt's own returner and other readers ask.
#include "tests/fixtures/retention/salt_views_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::retention::salt {
namespace {

std::string output(const std::string& text) {
    return json::serialize(
        json::object{{"stdout", text}, {"stderr", ""}, {"exit_code", 0}, {"truncated", false}});
}

TEST_CASE("a job's load is what Salt publishes") {
    auto& fixture = shared();
    auto salt = fixture.connect_reader();
    const auto job = fixture.create_job("cmd.run", R"({"cmd":"uptime","user":"nobody"})");

    const auto load = salt.document("SELECT load FROM jids WHERE jid = " + quoted(job));

    CHECK(load.at("jid").as_string() == to_string(job));
    CHECK(load.at("fun").as_string() == "cmd.run");
    CHECK(load.at("tgt").as_string() == "G@os:Debian");
    CHECK(load.at("tgt_type").as_string() == "compound");
    CHECK(load.at("user").as_string() == "alice");
    CHECK(load.at("arg") == json::parse(R"(["uptime", {"user": "nobody", "__kwarg__": true}])"));
    CHECK(salt.query("SELECT jid, load FROM jids WHERE jid = " + quoted(job)).size() == 1);
    const auto plain = fixture.create_job("test.ping", "{}");
    CHECK(
        salt.document("SELECT load FROM jids WHERE jid = " + quoted(plain)).at("arg")
        == json::array());
}

TEST_CASE("returns of a job are told by system, with success as a text") {
    auto& fixture = shared();
    auto salt = fixture.connect_reader();
    const auto job = fixture.create_job("cmd.run", R"({"cmd":"uptime"})");
    fixture.complete(job, 1, output("up 3 days\n"));
    auto failed = fixture.completed_task(job, 2);
    failed.state = task_state::failed;
    failed.exit_code = 3;
    failed.reason = "exit code 3";
    fixture.write_task(failed);
    auto running = fixture.completed_task(job, 3);
    running.state = task_state::picked_up;
    running.ended.reset();
    fixture.write_task(running);

    const auto match = salt.query(
        "SELECT id, full_ret FROM salt_returns WHERE jid = " + quoted(job) + " ORDER BY id");

    REQUIRE(match.size() == 2);
    CHECK(match[0][0] == "web1");
    const auto first = json::parse(match[0][1]);
    CHECK(first.at("return").as_string() == "up 3 days");
    CHECK(first.at("retcode") == 0);
    CHECK(first.at("success") == true);
    CHECK(first.at("id").as_string() == "web1");
    CHECK(first.at("jid").as_string() == to_string(job));
    CHECK(first.at("fun_args") == json::parse(R"(["uptime"])"));
    const auto second = json::parse(match[1][1]);
    CHECK(second.at("return").as_string() == "exit code 3");
    CHECK(second.at("retcode") == 3);
    const auto success = salt.query(
        "SELECT id, success, fun, return, alter_time > now() - interval '1 day' FROM salt_returns "
        "WHERE jid = "
        + quoted(job) + " ORDER BY id");
    CHECK(success[0] == std::vector<std::string>{"web1", "true", "cmd.run", "\"up 3 days\"", "t"});
    CHECK(success[1][1] == "false");
}

TEST_CASE("a payload up to 64 KiB is shown whole, a larger one by digest, size and address") {
    auto& fixture = shared();
    auto salt = fixture.connect_reader();
    const auto job = fixture.create_job("cmd.run", R"({"cmd":"dmesg"})");
    const std::string much(60'000, 'x');
    const std::string more(70'000, 'y');
    fixture.complete_apart(job, 1, output(much));
    fixture.complete_apart(job, 2, output(more));

    const auto match = salt.query(
        "SELECT id, return FROM salt_returns WHERE jid = " + quoted(job) + " ORDER BY id");

    REQUIRE(match.size() == 2);
    CHECK(json::parse(match[0][1]).as_string() == much);
    const auto response = json::parse(match[1][1]).at("muster");
    CHECK(response.at("size").to_number<std::size_t>() == output(more).size());
    CHECK(response.at("href").as_string().starts_with("/api/v1/jobs/" + to_string(job)));
    const auto payload =
        run_sync(fixture.jobs->find_payload(job, pki::sha256(output(much)))).value();
    REQUIRE(payload.has_value());
    CHECK(payload->content.empty());
}

TEST_CASE("the last return of a function on each system is by time") {
    auto& fixture = shared();
    auto salt = fixture.connect_reader();
    const auto earlier = fixture.create_job("facts.get", "{}");
    const auto later = fixture.create_job("facts.get", "{}");
    fixture.write_task(fixture.completed_task(later, 1, 1s));
    fixture.write_task(fixture.completed_task(earlier, 1, 3600s));  // the older job came back last
    fixture.write_task(fixture.completed_task(later, 2, 1s));

    const auto match = salt.query(
        "SELECT DISTINCT ON (id) id, jid, full_ret FROM salt_returns WHERE fun = 'facts.get' "
        "ORDER BY id, alter_time DESC");

    REQUIRE(match.size() == 2);
    CHECK(match[0][0] == "web1");
    CHECK(match[0][1] == to_string(earlier));
    CHECK(match[1][1] == to_string(later));
}

TEST_CASE("systems that are gone keep their name, and a number that got a new key counts once") {
    auto& fixture = shared();
    auto salt = fixture.connect_reader();
    const auto job = fixture.create_job("test.ping", "{}");
    for (const std::int64_t system : {3, 4, 5}) fixture.complete(job, system, "true");

    const auto match = salt.query(
        "SELECT id, return FROM salt_returns WHERE jid = " + quoted(job) + " ORDER BY id");

    CHECK(match == rows{{"db1", "true"}, {"old1", "true"}, {"renewed.acme.org", "true"}});
    const auto minions = salt.query("SELECT DISTINCT id FROM salt_returns WHERE id = 'db1'");
    CHECK(minions == rows{{"db1"}});
}

TEST_CASE("events are told under Salt's tags") {
    auto& fixture = shared();
    auto salt = fixture.connect_reader();
    const auto job = fixture.create_job("test.ping", "{}");
    fixture.complete(job, 1, "true");

    const auto match = salt.query(
        "SELECT tag, data->>'jid', data->>'fun', master_id FROM salt_events WHERE tag LIKE "
        "'salt/job/"
        + to_string(job) + "/%' ORDER BY tag");

    REQUIRE(match.size() == 2);
    CHECK(match[0][0] == "salt/job/" + to_string(job) + "/new");
    CHECK(match[0][1] == to_string(job));
    CHECK(match[1][0] == "salt/job/" + to_string(job) + "/ret/web1");
    CHECK(match[1][2] == "test.ping");
    CHECK(match[1][3] == "node-1");
    const auto ids = salt.query("SELECT count(*), count(DISTINCT id) FROM salt_events");
    CHECK(ids[0][0] == ids[0][1]);
}

TEST_CASE("what is no document does not spoil the answer for others") {
    auto& fixture = shared();
    auto salt = fixture.connect_reader();
    const auto job = fixture.create_job("cmd.run", R"({"cmd":"x"})");
    fixture.complete(job, 1, output("well"));
    fixture.complete(job, 2, std::string("\xff\x00\xfe", 3));
    fixture.complete(job, 3, R"({"stdout":"a\u0000b"})");
    const auto odd = fixture.create_job("cmd.run", R"({"cmd":"a\u0000b"})");

    const auto match = salt.query(
        "SELECT id, return FROM salt_returns WHERE jid = " + quoted(job) + " ORDER BY id");

    REQUIRE(match.size() == 3);
    CHECK(match[1] == std::vector<std::string>{"web1", "\"well\""});
    CHECK(json::parse(match[0][1]).as_object().contains("base64"));
    CHECK(json::parse(match[2][1]).at("base64").as_string() == "/wD+");
    CHECK(salt.query("SELECT load FROM jids WHERE jid = " + quoted(odd)).size() == 1);
}

TEST_CASE("one job of many is found without a look at the others") {
    auto& fixture = shared();
    auto salt = fixture.connect_reader();
    const auto job = fixture.create_job("test.ping", "{}");
    salt.query("SET enable_seqscan = off");

    std::string plan;
    for (const auto& each :
         salt.query("EXPLAIN SELECT id, full_ret FROM salt_returns WHERE jid = " + quoted(job)))
        plan += each.front() + "\n";

    CAPTURE(plan);
    CHECK(plan.contains("jobs_by_jid"));
    CHECK(plan.contains("systems_by_number"));
    CHECK_FALSE(plan.contains("Seq Scan"));
}

}  // namespace
}  // namespace muster::retention::salt
