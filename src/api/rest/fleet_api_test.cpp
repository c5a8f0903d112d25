#include "tests/fixtures/api/agent_entry_fixture.h"

namespace muster::api {
namespace {

using namespace test;
using namespace std::chrono_literals;

TEST_CASE("a system knocks, enrols, is accepted and is sent to its node") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    fixture.log_in();
    const agent web1;

    CHECK(fixture.status(web1) == "0");
    CHECK(fixture.place(web1).status == 403);
    CHECK(fixture.enrol(web1, "web1", R"(,"facts":{"os.name":"Debian"})").body == "0");
    CHECK(fixture.place(web1).status == 403);
    const auto listed = fixture.call("GET", "/api/v1/keys?state=pooled&q=web*");
    REQUIRE(listed.at("items").as_array().size() == 1);
    CHECK(listed.at("items").at(0).at("fingerprint").as_string() == json::string(web1.print.str()));

    const auto done = fixture.call(
        "POST",
        "/api/v1/keys/accept",
        {{"query", "name:web*"}, {"zone", "default"}, {"tags", json::array{"db"}}});
    CHECK(done.at("changed").to_number<int>() == 1);
    CHECK(done.at("state").as_string() == "done");
    CHECK(fixture.status(web1) == "2");
    const auto placed = fixture.place(web1);
    CHECK(placed.status == 200);
    CHECK(placed.body == "n1.acme.org:8443");
    const auto system = fixture.call("GET", "/api/v1/systems/web1");
    CHECK(system.at("state").as_string() == "orphan");
    CHECK(system.at("tags") == json::array{"db"});

    const auto path = "/api/v1/keys/" + web1.print.str();
    CHECK(fixture.call("DELETE", path).at("changed").to_number<int>() == 1);
    CHECK(fixture.status(web1) == "3");
    CHECK(fixture.place(web1).status == 410);
    CHECK(fixture.enrol(web1, "web1").body == "3");
}

TEST_CASE("systems are found, counted and listed in pages by an expression that may name groups") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    fixture.log_in();
    for (const char* const name : {"web1", "web2", "db1"}) fixture.enrol(agent(), name);
    fixture.call("POST", "/api/v1/keys/accept", {{"query", "*"}});
    fixture.call("POST", "/api/v1/groups", {{"name", "pair"}, {"members", {"web1", "db1"}}});
    CHECK(fixture.call("GET", "/api/v1/systems/count?q=web*").at("count").to_number<int>() == 2);
    const auto counted = fixture.call("GET", "/api/v1/systems/count?q=L@web1,web9");
    CHECK(counted.at("missing") == json::array{"web9"});
    const auto first = fixture.call("GET", "/api/v1/systems?q=N@pair&limit=1");
    CHECK(first.at("total").to_number<int>() == 2);
    const std::string next(first.at("next").as_string());
    const auto second = fixture.call("GET", "/api/v1/systems?q=N@pair&limit=1&after=" + next);
    CHECK(second.at("items").as_array().size() == 1);
    CHECK(second.at("next").is_null());
    CHECK(second.at("items").at(0).at("name") != first.at("items").at(0).at("name"));
    const auto wrong = fixture.send("GET", "/api/v1/systems?q=web1%20and");
    CHECK(wrong.status == 400);
    CHECK(wrong.body.contains("at 9"));
    CHECK(fixture.send("PUT", "/api/v1/groups/pair", R"({"expression":"N@pair"})").status == 400);
    CHECK(fixture.call("DELETE", "/api/v1/groups/pair").at("removed").as_string() == "pair");
    CHECK(fixture.call("GET", "/api/v1/groups").at("items").as_array().empty());
}

TEST_CASE("an object names what lies below it, and gives it along when it is asked to") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    fixture.log_in();
    fixture.enrol(agent(), "web1");
    fixture.call("POST", "/api/v1/keys/accept", {{"query", "*"}});
    const auto alone = fixture.call("GET", "/api/v1/systems/web1");
    CHECK(alone.at("links").at("windows") == "/api/v1/systems/web1/windows");
    CHECK(!alone.contains("expanded"));
    const auto both = fixture.call("GET", "/api/v1/systems/web1?expand=windows");
    CHECK(both.at("expanded").at("windows") == fixture.call("GET", "/api/v1/systems/web1/windows"));
    CHECK(fixture.send("GET", "/api/v1/systems/web1?expand=wnidows").status == 400);
    CHECK(fixture.send("GET", "/api/v1/systems?expand=windows").status == 400);
    CHECK(fixture.send("GET", "/api/v1/systems/nobody?expand=windows").status == 404);
}

TEST_CASE("nobody is believed without a proof that holds on this connection") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    const agent web1;
    const agent mallory;
    REQUIRE(fixture.enrol(web1, "web1").body == "0");

    CHECK(fixture.send("POST", "/system/enroll", R"({"name":"x"})").status == 403);
    const auto forged =
        fixture.send("GET", "/system/orphan?fp=" + web1.print.str(), "", mallory.key);
    CHECK(forged.status == 403);
    // A proof that was made on another connection.
    const auto replayed = pki::create_agent_authorization(web1.key, pki::channel_binding{}).value();
    http::client_request outgoing{
        .method = "POST",
        .url = "https://127.0.0.1:" + std::to_string(fixture.server->port(0)) + "/system/enroll",
        .fields = {{"Authorization", replayed}},
        .body = R"({"name":"web1"})"};
    const http::client::options through{.clock = &fixture.clock, .tls = http::test::client_tls()};
    CHECK(run_sync(fetch(through, std::move(outgoing))).value().status == 403);
}

TEST_CASE("any part of a long list is asked for by its place in it") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    fixture.log_in();
    for (int number = 1; number <= 7; ++number)
        fixture.enrol(agent(), "web" + std::to_string(number));
    fixture.call("POST", "/api/v1/keys/accept", {{"query", "*"}});
    const auto names_from = [&](const std::string& place) {
        const auto page = fixture.call("GET", "/api/v1/systems?limit=3&" + place);
        std::vector<std::int64_t> numbers;
        for (const auto& item : page.at("items").as_array())
            numbers.push_back(item.at("number").to_number<std::int64_t>());
        return numbers;
    };

    CHECK(names_from("offset=0") == names_from("after="));
    CHECK(names_from("offset=3") == names_from("after=3"));
    CHECK(names_from("offset=6") == std::vector<std::int64_t>{7});
    CHECK(names_from("offset=7").empty());
    CHECK(names_from("offset=4000000000").empty());
    CHECK(fixture.send("GET", "/api/v1/systems?offset=1&after=1").status == 400);
    CHECK(fixture.send("GET", "/api/v1/systems?offset=-1").status == 400);
}

TEST_CASE("what a system told of itself is shown, also while it waits") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    fixture.log_in();
    fixture.enrol(agent(), "web1", R"(,"facts":{"os.name":"Debian"})");
    fixture.enrol(agent(), "web2");

    const auto response = fixture.call("GET", "/api/v1/keys/web1/facts");
    CHECK(response.at("facts").at("os.name").as_string() == "Debian");
    CHECK(response.at("changed").is_string());
    const auto silent = fixture.call("GET", "/api/v1/keys/web2/facts");
    CHECK(silent.at("facts").as_object().empty());
    CHECK(fixture.send("GET", "/api/v1/keys/web9/facts").status == 404);
    fixture.call("POST", "/api/v1/keys/accept", {{"query", "web1"}});
    const auto windows = fixture.call("GET", "/api/v1/systems/web1/windows");
    CHECK(windows.at("schedule").is_null());
    CHECK(windows.at("next").as_array().empty());
}

TEST_CASE("bad questions are refused with what is wrong") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    const agent web1;

    CHECK(fixture.send("GET", "/system/status").status == 400);
    CHECK(fixture.send("GET", "/system/status?fp=zz").status == 400);
    CHECK(fixture.enrol(web1, "two words").body.contains("`name`"));
    CHECK(fixture.enrol(web1, "web1", R"(,"facts":[1])").body.contains("`facts`"));
    CHECK(fixture.send("POST", "/system/enroll", "{", web1.key).status == 400);
    CHECK(fixture.send("GET", "/api/v1/keys").status == 503);  // the office is closed
    fixture.log_in();
    CHECK(fixture.send("GET", "/api/v1/keys?q=tga:x").body.contains("at 1: unknown field"));
    CHECK(fixture.send("POST", "/api/v1/keys/accept", "{}").body.contains("`query`"));
    CHECK(fixture.send("GET", "/api/v1/systems/nobody").status == 404);
    fixture.token = "nobody's";
    CHECK(fixture.send("GET", "/api/v1/keys").status == 401);
}

TEST_CASE("while the fleet is being read an unknown system is told to wait, not that it is new") {
    agent_entry_fixture fixture;
    const agent web1;

    const auto early = fixture.send("GET", "/system/status?fp=" + web1.print.str());

    CHECK(early.status == 503);
    CHECK(early.field("retry-after").has_value());
    CHECK(fixture.enrol(web1, "web1").status == 503);
}

TEST_CASE("who asks too often and who has no place yet is told when to come again") {
    agent_entry_api::options options;
    options.status.each = {.interval = 1h, .burst = 2};
    agent_entry_fixture fixture(options);
    fixture.read_fleet();
    fixture.place_node(false);
    fixture.log_in();
    const agent web1;
    fixture.status(web1);
    fixture.status(web1);

    const auto limited = fixture.send("GET", "/system/status?fp=" + web1.print.str());
    CHECK(limited.status == 429);
    CHECK(limited.field("retry-after").has_value());
    REQUIRE(fixture.enrol(web1, "web1").body == "0");
    fixture.call("POST", "/api/v1/keys/accept", {{"query", "*"}});
    const auto homeless = fixture.place(web1);
    CHECK(homeless.status == 204);
    CHECK(homeless.field("retry-after").has_value());
    CHECK(fixture.metrics.text().contains("muster_agent_requests_total"));
}

TEST_CASE("rules and tokens take systems in, and their secrets are told once") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    fixture.log_in();
    const agent shop;
    const agent lab;
    const auto rule = fixture.call(
        "POST",
        "/api/v1/accept-rules",
        {{"name", "shop"}, {"names", json::array{"pos-*"}}, {"activation_key", "s3cret"}});
    CHECK_FALSE(json::serialize(rule).contains("s3cret"));
    const auto token =
        fixture.call("POST", "/api/v1/enrolment-tokens", {{"tags", json::array{"t"}}});

    CHECK(fixture.enrol(shop, "pos-1", R"(,"activation_key":"wrong")").body == "0");
    CHECK(fixture.enrol(shop, "pos-1", R"(,"activation_key":"s3cret")").body == "2");
    const auto output = json::value_to<std::string>(token.at("token"));
    CHECK(fixture.enrol(lab, "lab1", ",\"token\":\"" + output + "\"").body == "2");
    CHECK(fixture.systems.find(lab.print)->tags == std::vector<std::string>{"t"});
    CHECK(fixture.call("DELETE", "/api/v1/accept-rules/shop").contains("removed"));
    CHECK(fixture.call("GET", "/api/v1/accept-rules").at("items").as_array().empty());
}

TEST_CASE("systems are moved, labelled and unregistered by query, and every change is audited") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    fixture.log_in();
    const agent web1;
    REQUIRE(fixture.enrol(web1, "web1").body == "0");
    fixture.call("POST", "/api/v1/keys/accept", {{"query", "*"}});
    const auto before = fixture.systems.find(web1.print).value();

    fixture.call("POST", "/api/v1/systems/label", {{"query", "web1"}, {"tags", json::array{"a"}}});
    fixture.call("POST", "/api/v1/systems/1/unregister");
    CHECK(fixture.send("POST", "/api/v1/systems/1/move", R"({"zone":"none"})").status == 400);

    const auto after = fixture.systems.find(web1.print).value();
    CHECK(after.tags == std::vector<std::string>{"a"});
    CHECK(after.unregistered == before.unregistered + 1);
    CHECK(after.number == before.number);
    const auto trail = run_sync(fixture.ledger->read({.table = "audit"})).value();
    std::vector<std::string> deeds;
    for (const auto& row : trail.rows) deeds.push_back(std::get<std::string>(row.at(3)));
    CHECK(std::ranges::count(deeds, "keys.accept") >= 1);
    CHECK(std::ranges::count(deeds, "systems.label") >= 1);
    CHECK(std::ranges::count(deeds, "systems.unregister-one") == 1);
}

TEST_CASE("deleting or labelling systems by query leaves keys alone that nobody has accepted") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    fixture.log_in();
    const agent web1;
    const agent web9;
    REQUIRE(fixture.enrol(web1, "web1").body == "0");
    fixture.call("POST", "/api/v1/keys/accept", {{"query", "*"}});
    REQUIRE(fixture.enrol(web9, "web9").body == "0");

    fixture.call("POST", "/api/v1/systems/label", {{"query", "web*"}, {"tags", json::array{"a"}}});
    fixture.call("POST", "/api/v1/systems/delete", {{"query", "web*"}});
    CHECK(fixture.systems.find(web1.print)->stage == enrolment::deleted);
    CHECK(fixture.systems.find(web9.print)->stage == enrolment::pooled);
    CHECK(fixture.systems.find(web9.print)->tags.empty());
    fixture.call("POST", "/api/v1/keys/delete", {{"query", "web*"}});
    CHECK(fixture.systems.find(web9.print)->stage == enrolment::deleted);
}

TEST_CASE("a deed about one system alone knows it, and one about whoever a query means does not") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    fixture.log_in();
    const agent web1;
    REQUIRE(fixture.enrol(web1, "web1").body == "0");
    fixture.call("POST", "/api/v1/keys/accept", {{"query", "*"}});
    const auto number = fixture.systems.find(web1.print)->number.value();

    fixture.call("POST", "/api/v1/systems/label", {{"query", "web1"}, {"tags", json::array{"a"}}});
    fixture.call(
        "POST",
        "/api/v1/systems/label",
        {{"fingerprints", json::array{web1.print.str()}}, {"tags", json::array{"b"}}});
    fixture.call("DELETE", "/api/v1/systems/" + std::to_string(number));

    constexpr std::size_t value = 3;
    constexpr std::size_t system = 7;
    std::vector<std::string> existing;
    for (const auto& record : run_sync(fixture.ledger->read({.table = "audit"})).value().rows)
        if (std::get_if<std::int64_t>(&record.at(system)) != nullptr) {
            CHECK(std::get<std::int64_t>(record.at(system)) == number);
            existing.push_back(std::get<std::string>(record.at(value)));
        }
    REQUIRE(existing.size() == 2);
    CHECK(std::ranges::count(existing, "systems.label") == 1);
}

}  // namespace
}  // namespace muster::api
