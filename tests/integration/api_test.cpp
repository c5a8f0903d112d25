// Every operation of the API, as its own document declares it, asked from outside: with what is
// missing, unknown, of the wrong kind and too large, and by those who may not.

#include "tests/integration/openapi_fixture.h"

namespace muster::integration {
namespace {

// Something that is not of this kind, whatever kind it is.
json::value wrong_for(const json::object& schema) {
    const auto* type = schema.if_contains("type");
    if (type == nullptr) return nullptr;
    const bool takes_number =
        *type == "integer" || *type == "number"
        || (type->is_array() && type->as_array().front() != json::value("string"));
    if (takes_number) return json::value("seven");
    return json::value(7);
}

TEST_CASE("every operation says what is missing, unknown, of the wrong kind or too large") {
    openapi_fixture api;
    const auto all = api.operations();
    CHECK(all.size() > 40);
    std::set<std::string> observed;
    for (const auto& each : all) {
        CAPTURE(each.id);
        CHECK(observed.insert(each.id).second);
        const auto unknown = api.send(each, "?no-such-thing=1");
        CHECK(unknown.status == 400);
        CHECK(unknown.body.contains("no-such-thing"));
        const auto* schema = each.body_schema();
        if (schema == nullptr) continue;
        CHECK(api.send(each, "", "[1]").status == 400);
        CHECK(api.send(each, "", R"({"no-such-thing":1})").body.contains("no-such-thing"));
        if (const auto* required = schema->if_contains("required"); required != nullptr) {
            const auto missing = api.send(each, "", "{}");
            CHECK(missing.status == 400);
            CHECK(missing.body.contains(std::string(required->as_array().front().as_string())));
        }
        for (const auto& [name, of] : schema->at("properties").as_object()) {
            CAPTURE(std::string(name));
            const auto wrong = wrong_for(of.as_object());
            if (wrong.is_null()) continue;
            const auto answered = api.send(each, "", json::serialize(json::object{{name, wrong}}));
            CHECK(answered.status == 400);
        }
        const auto large = api.send(
            each,
            "",
            R"({"no-such-thing":")" + std::string(std::size_t{9} * 1024 * 1024, 'x') + "\"}");
        CHECK(large.status == 413);
    }
}

TEST_CASE("nothing is open that is not declared open") {
    openapi_fixture api;
    for (const auto& operation : api.operations()) {
        CAPTURE(operation.id);
        if (operation.open()) continue;
        CHECK(api.send(operation, "", "", "").status == 401);
        CHECK(api.send(operation, "", "", "nobody's").status == 401);
        CHECK(operation.what.contains("x-muster-right"));
    }
}

// A token makes no tokens, and without a zone one is made for the default one.
bool says_more(const operation& operation) {
    return operation.id == "tokens.create" || operation.id == "enrolment-tokens.create";
}

TEST_CASE("each role may do what it says, where it was given, and nothing else") {
    openapi_fixture api;
    const operation zones{.id = {}, .method = "POST", .path = "/api/v1/zones", .what = {}};
    REQUIRE(api.send(zones, "", R"({"name":"eu"})").status == 201);
    const operation one_zone{.id = {}, .method = "GET", .path = "/api/v1/zones/{zone}", .what = {}};
    harness::eventually("the zone is known", [&] { return api.send(one_zone).status == 200; });
    const auto all = api.operations();
    for (const auto& [role, rights] : roles_of(api)) {
        for (const std::string zone : {"", "eu"}) {
            const auto token = token_for(api, role, zone);
            for (const auto& each : all) {
                if (each.open() || each.id == "me.logout" || says_more(each)) continue;
                CAPTURE(role);
                CAPTURE(zone);
                CAPTURE(each.id);
                const auto right = json::value_to<std::string>(each.what.at("x-muster-right"));
                const bool whole = each.what.at("x-muster-scope").as_string() == "cluster";
                const bool may =
                    right == "self" || (rights.contains(right) && (zone.empty() || !whole));
                // Nobody asks for anything that there is, so nothing is done by those who may.
                const auto answered = api.send(each, "", "", token);
                CHECK((answered.status == 403) == !may);
            }
        }
    }
}

// A system and a node of the zone `default`, for those who may do something elsewhere only.
struct peopled_api : openapi_fixture {
    harness::temporary_directory home{"api"};
    std::unique_ptr<harness::process> agent;
    known_names there{{"zone", "default"}};

    peopled_api() {
        agent = std::make_unique<harness::process>(harness::command{
            .argv =
                {MUSTER_AGENT_PROGRAM,
                 "run",
                 "--server",
                 "https://127.0.0.1:" + std::to_string(server.port()),
                 "--ca",
                 server.data() / "ca.pem",
                 "--data",
                 home.path() / "web1",
                 "--name",
                 "web1",
                 "--poll-interval",
                 "1s"},
            .environment = {},
            .output = home.path() / "web1.log",
            .user = {}});
        first_of("/api/v1/keys?state=pooled", "name");
        REQUIRE(
            server.cli({"keys", "accept", "web1", "--zone", "default", "--yes"}).exit_code == 0);
        there["system"] = first_of("/api/v1/systems", "number");
        there["node"] = first_of("/api/v1/nodes", "name");
        REQUIRE(send_to("POST", "/api/v1/zones", R"({"name":"eu"})").status == 201);
        harness::eventually(
            "the zone is known", [&] { return send_to("GET", "/api/v1/zones/eu").status == 200; });
    }

    std::string first_of(const std::string& path, const std::string& member) {
        std::string match;
        harness::eventually("there is one at " + path, [&] {
            const auto response = json::parse(send_to("GET", path).body);
            const auto& items = response.at("items").as_array();
            if (items.empty()) return false;
            const auto& value = items.front().at(member);
            match = value.is_string() ? json::value_to<std::string>(value) : json::serialize(value);
            return true;
        });
        return match;
    }

    // With good arguments about what is there.
    http::client_response ask(const operation& operation, const std::string& as) {
        std::string more;
        for (const auto& each : operation.what.at("parameters").as_array()) {
            const auto name = json::value_to<std::string>(each.at("name"));
            const bool meant = each.at("required").as_bool() || there.contains(name);
            if (each.at("in").as_string() != "query" || !meant) continue;
            const auto sample = good_for(each.at("schema").as_object());
            const auto it = there.find(name);
            const auto text =
                sample.is_string() ? json::value_to<std::string>(sample) : json::serialize(sample);
            more +=
                (more.empty() ? "?" : "&") + name + "=" + (it == there.end() ? text : it->second);
        }
        std::string body;
        if (const auto* const schema = operation.body_schema()) {
            auto result = good_for(*schema, there).as_object();
            for (const auto& [name, text] : there)
                if (schema->at("properties").as_object().contains(name)) result[name] = text;
            body = json::serialize(result);
        }
        return send_to(operation.method, operation.address(there) + more, body, as);
    }
};

bool streams(const operation& operation) {
    const auto* const good = operation.what.at("responses").as_object().if_contains("200");
    const auto* const content =
        good == nullptr ? nullptr : good->as_object().if_contains("content");
    return content != nullptr && content->as_object().contains("text/event-stream");
}

TEST_CASE("a role in one zone does nothing in another, and shows nothing of it") {
    peopled_api api;
    const auto all = api.operations();
    std::size_t requested = 0;
    for (const auto& [role, rights] : roles_of(api)) {
        const auto elsewhere = token_for(api, role, "eu");
        for (const auto& each : all) {
            if (each.open() || streams(each)) continue;
            const auto scope = json::value_to<std::string>(each.what.at("x-muster-scope"));
            CAPTURE(role);
            CAPTURE(each.id);
            if (scope == "zone" || scope == "system" || scope == "node") {
                const auto answered = api.ask(each, elsewhere);
                CAPTURE(answered.body);
                CHECK(answered.status == 403);
                ++requested;
            } else if (scope == "filtered" && each.method == "GET") {
                CHECK_FALSE(api.ask(each, elsewhere).body.contains("web1"));
                ++requested;
            }
        }
    }
    CHECK(requested > 100);
}

TEST_CASE("a role in a zone reads there what it says") {
    peopled_api api;
    const auto here = token_for(api, "admin", "default");
    for (const auto& operation : api.operations()) {
        if (operation.open() || streams(operation) || operation.method != "GET") continue;
        const auto scope = json::value_to<std::string>(operation.what.at("x-muster-scope"));
        if (scope == "cluster") continue;
        CAPTURE(operation.id);
        const auto answered = api.ask(operation, here);
        CAPTURE(answered.body);
        CHECK(answered.status != 403);
        CHECK(answered.status != 400);
        // No agent of this fleet runs, which only what asks agents themselves can tell of.
        if (!answered.body.contains("is not attached")) CHECK(answered.status < 500);
    }
}

TEST_CASE("a browser's session is a cookie, and no other site's page changes anything with it") {
    openapi_fixture api;
    const operation login{.id = {}, .method = "POST", .path = "/api/v1/login", .what = {}};
    const operation zones{.id = {}, .method = "POST", .path = "/api/v1/zones", .what = {}};
    auto password = text_of(api.server.data() / "first-password");
    password.erase(password.find_last_not_of("\n ") + 1);
    const auto who =
        json::serialize(json::object{{"user", "admin"}, {"password", password}, {"cookie", true}});
    const auto host = "127.0.0.1:" + std::to_string(api.server.port());

    CHECK(api.send(login, "", who, "", {{"Origin", "https://evil.example"}}).status == 403);
    const auto opened = api.send(login, "", who, "", {{"Origin", "https://" + host}});
    REQUIRE_MESSAGE(opened.status == 200, opened.body);
    const auto response = json::parse(opened.body).as_object();
    CHECK_FALSE(response.contains("token"));
    const auto csrf = json::value_to<std::string>(response.at("csrf"));
    const auto set = opened.field("Set-Cookie");
    REQUIRE(set.has_value());
    CHECK(set->contains("HttpOnly"));
    const std::string cookie(set->substr(0, set->find(';')));

    const auto make = [&](const std::string& name, http::field_list fields) {
        fields.emplace_back("Cookie", cookie);
        const auto body = json::serialize(json::object{{"name", name}});
        return api.send(zones, "", body, "", std::move(fields)).status;
    };
    CHECK(make("a", {}) == 403);
    CHECK(make("b", {{"X-Muster-CSRF", "guessed"}}) == 403);
    CHECK(make("c", {{"X-Muster-CSRF", csrf}, {"Origin", "https://evil.example"}}) == 403);
    CHECK(make("d", {{"X-Muster-CSRF", csrf}, {"Origin", "https://" + host}}) == 201);
}

}  // namespace
}  // namespace muster::integration
