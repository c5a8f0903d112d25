#include "api/rest/tags_api.h"

#include "tests/fixtures/api/agent_entry_fixture.h"

namespace muster::api {
namespace {

using namespace test;

TEST_CASE("tags are listed with how many systems have each, in pages, and go with their last") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    fixture.log_in();
    for (const char* const name : {"web1", "web2"}) {
        const agent agent;
        REQUIRE(fixture.enrol(agent, name).body == "0");
    }
    fixture.call(
        "POST", "/api/v1/keys/accept", {{"query", "*"}, {"tags", json::array{"shop", "eu"}}});
    fixture.call(
        "POST", "/api/v1/systems/label", {{"query", "web1"}, {"tags", json::array{"canary"}}});

    const auto all = fixture.call("GET", "/api/v1/tags");
    CHECK(
        all.at("items")
        == json::value(json::array{
            json::object{{"name", "canary"}, {"systems", 1}},
            json::object{{"name", "eu"}, {"systems", 2}},
            json::object{{"name", "shop"}, {"systems", 2}}}));
    CHECK(all.at("next").is_null());
    const auto first = fixture.call("GET", "/api/v1/tags?limit=2");
    CHECK(first.at("items").as_array().size() == 2);
    const auto rest = fixture.call("GET", "/api/v1/tags?limit=2&after=eu");
    CHECK(first.at("next").as_string() == "eu");
    CHECK(rest.at("items").at(0).at("name").as_string() == "shop");
    fixture.call(
        "POST",
        "/api/v1/systems/label",
        {{"query", "web1"}, {"tags_removed", json::array{"canary"}}});
    CHECK(fixture.call("GET", "/api/v1/tags").at("items").as_array().size() == 2);
}

TEST_CASE("who sees no system of a zone sees none of its tags") {
    agent_entry_fixture fixture;
    fixture.read_fleet();
    fixture.place_node();
    fixture.log_in();
    const agent web1;
    REQUIRE(fixture.enrol(web1, "web1").body == "0");
    fixture.call("POST", "/api/v1/keys/accept", {{"query", "*"}, {"tags", json::array{"shop"}}});

    CHECK(fixture.search.tags({.after = "", .limit = 10}, std::set<std::string>{"far"}).empty());
    CHECK(
        fixture.search.tags({.after = "", .limit = 10}, std::set<std::string>{"default"}).size()
        == 1);
}

}  // namespace
}  // namespace muster::api
