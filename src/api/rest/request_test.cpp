// What the registry does for every operation with requests that are sent again, with changes of
// what the caller has seen, and with what was done to one system; over TLS, on real engines.

#include "api/operations/idempotency_store.h"
#include "api/rest/audit_api.h"
#include "tests/fixtures/api/rest_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace muster::api {
namespace {

namespace http = net::http;
namespace json = boost::json;
using namespace api;
using access::right;
using harness::run_sync;

// Things by name, each with a version that grows; what is done to systems is counted.
struct shelf : test::rest_fixture {
    std::map<std::string, int> versions;
    int done = 0;
    std::optional<error> failing;
    struct one_system final : system_directory {
        result<system_number> find(const std::string& named) const override {
            if (named == "web1" || named == "1") return system_number(1);
            return fail(errc::not_found, "there is no system " + named);
        }
    };
    one_system systems;
    audit_api trail{clock, systems};
    registry with_systems{clock, &systems};
    rest_endpoint other_door{with_systems, desk};

    shelf() : rest_fixture("shelf") {
        declare("things.create", verb::post, "/things", {in_body("name", name())});
        declare("things.show", verb::get, "/things/{name}", {in_path("name", name())});
        declare("things.parts", verb::get, "/things/{name}/parts", {in_path("name", name())});
        declare("things.change", verb::patch, "/things/{name}", {in_path("name", name())});
        declare("things.touch", verb::post, "/things/{name}/touch", {in_path("name", name())});
        operation secret{
            .name = "keys.create",
            .summary = "Makes a key",
            .method = verb::post,
            .path = "/keys",
            .takes = {secret_in_body("password", text())},
            .status = 201,
            .needed = right::systems_change,
            .gives_secret = true};
        REQUIRE(operations.add(std::move(secret), handler(this, &shelf::do_it)));
        REQUIRE(trail.declare(operations));
        operation label{
            .name = "systems.label",
            .summary = "Labels a system",
            .method = verb::post,
            .path = "/systems/{system}/label",
            .takes = {in_path("system", name())},
            .needed = right::systems_change};
        REQUIRE(with_systems.add(std::move(label), handler(this, &shelf::do_it)));
        operations.relate();
        auto routes = std::make_shared<http::router>();
        REQUIRE(other_door.add_routes(*routes));
        serve(std::move(routes));
    }
    ~shelf() { stop(); }

    void declare(const char* name, verb method, const char* path, std::vector<parameter> takes) {
        operation operation{
            .name = name,
            .summary = "Does something",
            .method = method,
            .path = path,
            .takes = std::move(takes),
            .gives = record_of({required("version", integer(0))}),
            .status = method == verb::post ? 201U : 200U,
            .needed = right::systems_change};
        REQUIRE(operations.add(std::move(operation), handler(this, &shelf::do_it)));
    }
    async<reply> do_it(api::call call) {
        const bool names = call.arguments().find("name") != nullptr;
        const auto named = names ? call.text("name") : std::string();
        if (call.operation().changes()) {
            ++done;
            if (failing) co_return fail(*failing);
            ++versions[named];
        }
        co_return reply{
            .content = json::object{{"name", named}, {"version", versions[named]}},
            .fields = {{"X-Done", std::to_string(done)}}};
    }

    http::client_response add(const std::string& thing, const std::string& key) {
        return send("POST", "/things", {{"name", thing}}, {{"Idempotency-Key", key}});
    }
};

TEST_CASE(
    "a request that is sent again with its key is answered as the first time, and done once") {
    shelf fixture;

    const auto first = fixture.add("lamp", "k1");
    const auto again = fixture.add("lamp", "k1");

    CHECK(first.status == 201);
    CHECK(again.status == 201);
    CHECK(again.body == first.body);
    CHECK(again.field("x-done") == "1");
    CHECK(fixture.done == 1);
    const auto response = fixture.deeds("things.create");
    REQUIRE(response.size() == 2);
    CHECK(response.back().contains("not executed again"));
    CHECK(fixture.add("lamp", "k2").status == 201);
    CHECK(fixture.done == 2);
}

TEST_CASE("a key stands for one request of one person") {
    shelf fixture;
    REQUIRE(fixture.add("lamp", "k1").status == 201);

    const auto other = fixture.add("chair", "k1");
    CHECK(other.status == 409);
    CHECK(other.body.contains("another request"));
    const auto elsewhere =
        fixture.send("POST", "/things/lamp/touch", {}, {{"Idempotency-Key", "k1"}});
    CHECK(elsewhere.status == 409);
    CHECK(
        fixture.add("lamp", std::string(idempotency_store::key_bytes_max + 1, 'k')).status == 400);
    CHECK(fixture.done == 1);
}

TEST_CASE("what did not happen may be sent again with its key, and what may have happened not") {
    shelf fixture;
    fixture.failing = error(errc::conflict, "the shelf is full");
    CHECK(fixture.add("lamp", "k1").status == 409);
    fixture.failing.reset();
    CHECK(fixture.add("lamp", "k1").status == 201);

    fixture.failing = error(errc::timed_out, "no answer");
    CHECK(fixture.add("chair", "k2").status == 504);
    fixture.failing.reset();
    const auto unknown = fixture.add("chair", "k2");
    CHECK(unknown.status == 409);
    CHECK(unknown.body.contains("result is unknown"));
    CHECK(fixture.done == 3);
}

TEST_CASE("an answer that holds a secret is not kept, and its request is not done again") {
    shelf fixture;
    const http::field_list key{{"Idempotency-Key", "k1"}};
    CHECK(fixture.send("POST", "/keys", {{"password", "battery staple"}}, key).status == 201);

    const auto again = fixture.send("POST", "/keys", {{"password", "battery staple"}}, key);

    CHECK(again.status == 409);
    CHECK(again.body.contains("secret"));
    CHECK(fixture.done == 1);
    const auto stored = run_sync(fixture.store->range({.prefix = "request-"})).value();
    REQUIRE(stored.entries.size() == 1);
    CHECK_FALSE(stored.entries.front().value.contains("version"));
}

TEST_CASE("somebody has so many keys at a time and no more") {
    shelf fixture;
    idempotency_store claims(*fixture.store);
    idempotency_store::request request{.user = "ann", .operation = "things.create", .digest = "d"};
    const auto lease = run_sync(fixture.store->grant(idempotency_store::lifetime)).value();
    for (std::size_t index = 0; index < idempotency_store::keys_per_user_max;) {
        kv::transaction some;
        for (int count = 0; count < 100; ++count, ++index)
            some.then.emplace_back(kv::put{
                .key = "request-claims/616e6e/" + std::to_string(index),
                .value = "{}",
                .lease = lease});
        REQUIRE(run_sync(fixture.store->commit(std::move(some))).value().committed);
    }
    request.key = "one more";

    const auto refused = run_sync(claims.reserve(request));

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::unavailable);
    request.user = "ben";
    CHECK(run_sync(claims.reserve(request)).has_value());
}

TEST_CASE("a request with a key and a condition is answered again though it changed the record") {
    shelf fixture;
    fixture.call("POST", "/things", {{"name", "lamp"}});
    const auto etag = std::string(fixture.send("GET", "/things/lamp").field("etag").value());
    const http::field_list both{{"Idempotency-Key", "k1"}, {"If-Match", etag}};

    CHECK(fixture.send("POST", "/things/lamp/touch", {}, both).status == 201);
    CHECK(fixture.send("POST", "/things/lamp/touch", {}, both).status == 201);
    CHECK(fixture.done == 2);

    const http::field_list late{{"Idempotency-Key", "k2"}, {"If-Match", etag}};
    CHECK(fixture.send("POST", "/things/lamp/touch", {}, late).status == 412);
    const auto now = std::string(fixture.send("GET", "/things/lamp").field("etag").value());
    const http::field_list anew{{"Idempotency-Key", "k2"}, {"If-Match", now}};
    CHECK(fixture.send("POST", "/things/lamp/touch", {}, anew).status == 201);
}

TEST_CASE("a change that is meant for a record as it was read is refused when it is another") {
    shelf fixture;
    fixture.call("POST", "/things", {{"name", "lamp"}});
    const auto read = fixture.send("GET", "/things/lamp");
    const auto etag = std::string(read.field("etag").value());

    CHECK(fixture.send("PATCH", "/things/lamp", {}, {{"If-Match", etag}}).status == 200);
    const auto stale = fixture.send("PATCH", "/things/lamp", {}, {{"If-Match", etag}});

    CHECK(stale.status == 412);
    const auto now = std::string(fixture.send("GET", "/things/lamp").field("etag").value());
    CHECK(stale.field("etag") == now);
    CHECK(json::parse(stale.body).at("version").to_number<int>() == 2);
    CHECK(stale.body.contains("read the record again"));
    CHECK(fixture.done == 2);
    CHECK(fixture.deeds("things.change").back().contains("refused"));
    // By a list of tags, by the version, and where a verb stands behind the record.
    CHECK(
        fixture.send("PATCH", "/things/lamp", {}, {{"If-Match", "\"other\", " + now}}).status
        == 200);
    CHECK(fixture.send("POST", "/things/lamp/touch", {}, {{"If-Match", "\"3\""}}).status == 201);
    CHECK(fixture.send("POST", "/things/lamp/touch", {}, {{"If-Match", "\"3\""}}).status == 412);
    const std::string endless(1025, 'x');
    for (const auto* const field : {"If-Match", "If-None-Match", "Muster-Edit"})
        CHECK(fixture.send("PATCH", "/things/lamp", {}, {{field, endless}}).status == 400);
    CHECK(fixture.send("PATCH", "/things/lamp", {}, {{"If-Match", "*"}}).status == 200);
}

TEST_CASE("a change without a record that can be read has nothing to compare If-Match with") {
    shelf fixture;
    const auto refused =
        fixture.send("POST", "/things", {{"name", "lamp"}}, {{"If-Match", "\"1\""}});
    CHECK(refused.status == 400);
    CHECK(refused.body.contains("If-Match"));
    CHECK(fixture.done == 0);
}

TEST_CASE("what was done to one system is found by it, the last or the first deed first") {
    shelf fixture;
    fixture.call("POST", "/systems/web1/label");
    fixture.call("POST", "/systems/web2/label");
    fixture.call("POST", "/systems/1/label");
    const auto details = [&](const std::string& question) {
        std::vector<std::string> all;
        for (const auto& item :
             fixture.call("GET", "/api/v1/audit?" + question).at("items").as_array())
            all.push_back(json::value_to<std::string>(item.at("detail")));
        return all;
    };

    CHECK(details("system=web1") == std::vector<std::string>{"1", "web1"});
    CHECK(details("system=1&order=oldest") == std::vector<std::string>{"web1", "1"});
    CHECK(details("system=7").empty());
    CHECK(details("what=systems.label&order=newest").size() == 3);
    CHECK(fixture.send("GET", "/api/v1/audit?system=nobody").status == 404);
    const auto all = fixture.call("GET", "/api/v1/audit?what=systems.label&order=oldest");
    CHECK(all.at("items").at(0).at("system").to_number<int>() == 1);
    CHECK_FALSE(all.at("items").at(1).as_object().contains("system"));
    const auto first = fixture.call("GET", "/api/v1/audit?system=1&order=oldest&limit=1");
    const auto next = json::value_to<std::string>(first.at("next"));
    CHECK(details("system=1&order=oldest&limit=1&after=" + next) == std::vector<std::string>{"1"});
}

}  // namespace
}  // namespace muster::api
