#include "api/xmlrpc/calls/xmlrpc_json_endpoint.h"

#include "tests/fixtures/api/xmlrpc_fixture.h"

#include <boost/json.hpp>

namespace muster::xmlrpc_api {
namespace {

using namespace test;
namespace json = boost::json;

struct json_site : xmlrpc_fixture {
    std::string cookie = "";

    http::client_response ask(
        const std::string& method, const std::string& path, std::string body = "") {
        return send(
            std::move(body),
            {.path = "/rhn/manager/api/" + path, .method = method, .cookie = cookie});
    }
    json::value result_of(
        const std::string& method, const std::string& path, std::string body = "") {
        const auto answered = ask(method, path, std::move(body));
        INFO(answered.body);
        REQUIRE(answered.status == 200);
        const auto response = json::parse(answered.body);
        REQUIRE(response.at("success").as_bool());
        return response.at("result");
    }
    void enter() {
        const auto answered =
            ask("POST", "auth/login", R"({"login":"admin","password":"correct horse"})");
        REQUIRE(answered.status == 200);
        const std::string set(answered.field("Set-Cookie").value());
        CHECK(set.contains("; Path=/; Secure; HttpOnly"));
        CHECK(set.starts_with("pxt-session-cookie="));
        CHECK(!answered.body.contains("x"));  // the key is in the cookie only
        cookie = "a=b; " + set.substr(0, set.find(';'));
    }
};

TEST_CASE("the JSON form takes arguments by name and the session from its cookie") {
    json_site site;
    CHECK(site.result_of("GET", "api/getVersion").as_string() == "29");
    CHECK(site.ask("GET", "system/listSystems").status == 401);
    site.enter();
    CHECK(site.result_of("GET", "system/listSystems").as_array().size() == 4);
    CHECK(site.result_of("GET", "system/listInactiveSystems?days=3").as_array().size() == 3);
    const auto result = site.result_of("GET", "system/getName?sid=1");
    CHECK(result.at("name").as_string() == "web1");
    CHECK(result.at("last_checkin").as_string().ends_with("Z"));
    CHECK(!site.result_of("GET", "system/getName?sid=2").as_object().contains("last_checkin"));
    CHECK(
        site.result_of("POST", "systemgroup/create", R"({"description":"d","name":"shop"})")
            .at("system_count")
            .as_int64()
        == 0);
    CHECK(site.result_of("POST", "system/deleteSystems", R"({"sids":[1,2]})").as_int64() == 1);
    CHECK(site.known.find(system_number(2))->unregistered == 1);
    CHECK(site.result_of("POST", "auth/logout").as_int64() == 1);
    CHECK(site.ask("GET", "system/listSystems").status == 401);
}

TEST_CASE("the JSON form reads dates and lists of numbers from a query") {
    json_site site;
    site.enter();
    const auto result = site.result_of(
        "POST",
        "channel/software/create",
        R"({"label":"base","name":"Base","summary":"s",)"
        R"("archLabel":"channel-x86_64","parentLabel":""})");
    CHECK(result.as_int64() == 1);
    const std::string since = "startDate=2026-11-01T00:00:00Z";
    const std::string span = since + "&endDate=2026-11-16T22:00:00Z";
    for (const char* const which : {"listAllPackages", "listErrata"}) {
        const auto path = std::string("channel/software/") + which + "?channelLabel=base&";
        CHECK(site.result_of("GET", path + since).as_array().empty());
        CHECK(site.result_of("GET", path + span).as_array().empty());
        CHECK(site.ask("GET", path + "startDate=yesterday").status == 400);
    }
    const std::string history = "system/getEventHistory?sid=1&earliestDate=2026-11-01T00:00:00Z";
    CHECK(site.result_of("GET", history).as_array().empty());
    CHECK(site.result_of("GET", history + "&offset=0&limit=5").as_array().empty());
    for (const char* const sids : {"sids=1", "sids=1,2", "sids=1&sids=2", "sids=1%2C2"}) {
        INFO(sids);
        CHECK(site.ask("GET", std::string("system/getRelevantErrata?") + sids).status == 200);
        const auto latest =
            std::string("system/listLatestAvailablePackage?packageName=bash&") + sids;
        CHECK(site.result_of("GET", latest).is_array());
    }
    CHECK(site.ask("GET", "system/getRelevantErrata?sids=1&sids=one").status == 400);
}

TEST_CASE("the JSON form says what is wrong as its clients expect it") {
    json_site site;
    CHECK(site.ask("POST", "auth/login", R"({"login":"admin","password":"wrong"})").status == 401);
    site.enter();
    const auto failed = site.ask("GET", "system/getDetails?sid=9");
    CHECK(failed.status == 200);
    CHECK(failed.body.contains(R"("success":false)"));
    CHECK(failed.body.contains("No such system - sid = 9"));
    CHECK(site.ask("GET", "system/getDetails").status == 400);
    CHECK(site.ask("GET", "system/getDetails?sid=one").status == 400);
    CHECK(site.ask("GET", "system/getDetails?sid=1&sid=2").status == 400);
    CHECK(site.ask("GET", "system/getDetails?sid=1&more=2").status == 400);
    CHECK(site.ask("GET", "system/deleteSystem?sid=1").status == 400);  // not with GET
    CHECK(site.ask("POST", "system/deleteSystem", "[1]").status == 400);
    CHECK(site.ask("POST", "system/deleteSystem", R"({"sid":"1"})").status == 400);
    CHECK(site.ask("GET", "no/such/method").status == 404);
    CHECK(site.known.find(system_number(1))->unregistered == 0);
    site.add_user("reader", {{.role = "viewer", .zone = ""}});
    const auto key = site.log_in("reader");
    site.cookie = "pxt-session-cookie=" + key.substr(8, key.find('\n') - 8);
    CHECK(site.ask("POST", "system/deleteSystem", R"({"sid":1})").status == 403);
}

}  // namespace
}  // namespace muster::xmlrpc_api
