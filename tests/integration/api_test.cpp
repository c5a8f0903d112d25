// Every operation of the API, as its own document declares it, asked from outside: with what is
// missing, unknown, of the wrong kind and too large, and by those who may not.

#include "adapters/net/http/client.h"
#include "adapters/net/tls_context.h"
#include "adapters/pki/certificate.h"
#include "runtime/clock.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/process.h"
#include "tests/integration/muster_server.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::integration {
namespace {

namespace http = net::http;
namespace json = boost::json;

async<http::answer> fetch(http::client::options how, http::outgoing what) {
    http::client through(std::move(how));
    co_return co_await through.send(std::move(what));
}

struct operation {
    std::string id;
    std::string method;
    std::string path;
    json::object what;

    bool open() const {
        const auto* security = what.if_contains("security");
        return security != nullptr && security->as_array().empty();
    }
    // With something that looks right in the place of what the path names.
    std::string address() const {
        std::string made;
        bool within = false;
        for (std::size_t at = 0; at < path.size(); ++at) {
            const char each = path[at];
            const bool real = method == "GET" && path.compare(at, 6, "{zone}") == 0;
            if (each == '{') made += real ? "eu" : "nobody";
            within = each == '{' || (within && each != '}');
            if (!within && each != '}') made += each;
        }
        return made;
    }
    const json::object* body_schema() const {
        const auto* body = what.if_contains("requestBody");
        if (body == nullptr) return nullptr;
        return &body->at("content").at("application/json").at("schema").as_object();
    }
};

std::string upper(std::string text) {
    for (auto& each : text)
        each = static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
    return text;
}

struct whole_api {
    muster_server server;
    runtime::system_clock time;
    std::string token;
    std::shared_ptr<const net::tls_client> tls;

    whole_api() {
        server.start_and_wait_until_ready();
        REQUIRE(server.login().exit_code == 0);
        token = text_of(server.token());
        token.erase(token.find_last_not_of("\n ") + 1);
        auto ca = pki::certificate::from_pem(text_of(server.data() / "ca.pem")).value();
        tls = net::tls_client::make({.trusted = net::trusted_authorities{{std::move(ca)}}}).value();
    }

    http::answer send(
        const operation& what,
        const std::string& more = "",
        const std::string& body = "",
        const std::optional<std::string>& as = std::nullopt,
        http::field_list fields = {}) {
        http::outgoing sent{
            .method = what.method,
            .url = "https://127.0.0.1:" + std::to_string(server.port()) + what.address() + more,
            .fields = std::move(fields),
            .body = body};
        const auto& shown = as ? *as : token;
        if (!shown.empty()) sent.fields.emplace_back("Authorization", "Bearer " + shown);
        return harness::answer_of(fetch({.time = &time, .tls = tls}, std::move(sent))).value();
    }

    std::vector<operation> operations() {
        const auto document = json::parse(server.get("/openapi.json").output);
        REQUIRE(document.at("openapi").as_string() == "3.1.0");
        std::vector<operation> all;
        for (const auto& [path, methods] : document.at("paths").as_object()) {
            for (const auto& [method, what] : methods.as_object())
                all.push_back(
                    {.id = json::value_to<std::string>(what.at("operationId")),
                     .method = upper(method),
                     .path = path,
                     .what = what.as_object()});
        }
        return all;
    }
};

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
    whole_api api;
    const auto all = api.operations();
    CHECK(all.size() > 40);
    std::set<std::string> seen;
    for (const auto& each : all) {
        CAPTURE(each.id);
        CHECK(seen.insert(each.id).second);
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
    whole_api api;
    for (const auto& each : api.operations()) {
        CAPTURE(each.id);
        if (each.open()) continue;
        CHECK(api.send(each, "", "", "").status == 401);
        CHECK(api.send(each, "", "", "nobody's").status == 401);
        CHECK(each.what.contains("x-muster-right"));
    }
}

// What each role allows, by the server's own word.
std::map<std::string, std::set<std::string>> roles_of(whole_api& api) {
    std::map<std::string, std::set<std::string>> found;
    const operation list{.id = {}, .method = "GET", .path = "/api/v1/roles", .what = {}};
    const auto told = json::parse(api.send(list).body);
    for (const auto& each : told.at("items").as_array()) {
        auto& rights = found[json::value_to<std::string>(each.at("name"))];
        for (const auto& right : each.at("rights").as_array())
            rights.insert(json::value_to<std::string>(right));
    }
    return found;
}

// The token of a new user with one role, in a zone or, with none, everywhere.
std::string token_for(whole_api& api, const std::string& role, const std::string& zone) {
    const auto user = role + "-" + (zone.empty() ? "all" : zone);
    const json::object wanted{
        {"name", user},
        {"kind", "service"},
        {"grants", json::array{json::object{{"role", role}, {"zone", zone}}}}};
    const operation add{.id = {}, .method = "POST", .path = "/api/v1/users", .what = {}};
    const auto added = api.send(add, "", json::serialize(wanted));
    REQUIRE_MESSAGE(added.status == 201, added.body);
    const operation make{.id = {}, .method = "POST", .path = "/api/v1/tokens", .what = {}};
    const auto made = api.send(make, "", json::serialize(json::object{{"user", user}}));
    REQUIRE_MESSAGE(made.status == 201, made.body);
    return json::value_to<std::string>(json::parse(made.body).at("secret"));
}

// A token makes no tokens, and without a zone one is made for the default one.
bool says_more(const operation& what) {
    return what.id == "tokens.make" || what.id == "enrolment-tokens.add";
}

TEST_CASE("each role may do what it says, where it was given, and nothing else") {
    whole_api api;
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

TEST_CASE("a browser's session is a cookie, and no other site's page changes anything with it") {
    whole_api api;
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
    const auto told = json::parse(opened.body).as_object();
    CHECK_FALSE(told.contains("token"));
    const auto csrf = json::value_to<std::string>(told.at("csrf"));
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
