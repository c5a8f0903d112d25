#pragma once

// Every operation of the API as its own document declares it, on a server of its own.
#include "adapters/net/http/client.h"
#include "adapters/net/tls_context.h"
#include "adapters/pki/certificate.h"
#include "runtime/clock.h"
#include "tests/harness/process.h"
#include "tests/harness/run_sync.h"
#include "tests/integration/muster_server.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::integration {

namespace http = net::http;
namespace json = boost::json;

inline async<http::client_response> fetch(
    http::client::options options, http::client_request outgoing) {
    http::client through(std::move(options));
    co_return co_await through.send(std::move(outgoing));
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
    // With something that looks right in the place of what the path names, unless that is given.
    std::string address(const std::map<std::string, std::string>& named = {}) const {
        std::string result;
        for (std::size_t at = 0; at < path.size();) {
            const auto opens = path.find('{', at);
            result += path.substr(at, opens - at);
            if (opens == std::string::npos) break;
            const auto closes = path.find('}', opens);
            const auto name = path.substr(opens + 1, closes - opens - 1);
            const auto it = named.find(name);
            const bool real = method == "GET" && name == "zone";
            result += it != named.end() ? it->second : (real ? "eu" : "nobody");
            at = closes + 1;
        }
        return result;
    }
    const json::object* body_schema() const {
        const auto* body = what.if_contains("requestBody");
        if (body == nullptr) return nullptr;
        return &body->at("content").at("application/json").at("schema").as_object();
    }
};

inline std::string upper(std::string text) {
    for (auto& each : text)
        each = static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
    return text;
}

struct openapi_fixture {
    muster_server server;
    runtime::system_clock clock;
    std::string token;
    std::shared_ptr<const net::tls_client> tls;

    openapi_fixture() {
        server.start_and_wait_until_ready();
        REQUIRE(server.login().exit_code == 0);
        token = text_of(server.token());
        token.erase(token.find_last_not_of("\n ") + 1);
        auto ca = pki::certificate::from_pem(text_of(server.data() / "ca.pem")).value();
        tls =
            net::tls_client::create({.trusted = net::trusted_authorities{{std::move(ca)}}}).value();
    }

    http::client_response send(
        const operation& operation,
        const std::string& more = "",
        const std::string& body = "",
        const std::optional<std::string>& as = std::nullopt,
        http::field_list fields = {}) {
        return send_to(operation.method, operation.address() + more, body, as, std::move(fields));
    }
    http::client_response send_to(
        const std::string& method,
        const std::string& address,
        const std::string& body = "",
        const std::optional<std::string>& as = std::nullopt,
        http::field_list fields = {}) {
        http::client_request sent{
            .method = method,
            .url = "https://127.0.0.1:" + std::to_string(server.port()) + address,
            .fields = std::move(fields),
            .body = body};
        const auto& output = as ? *as : token;
        if (!output.empty()) sent.fields.emplace_back("Authorization", "Bearer " + output);
        return harness::run_sync(fetch({.clock = &clock, .tls = tls}, std::move(sent))).value();
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

// What each role allows, by the server's own word.
inline std::map<std::string, std::set<std::string>> roles_of(openapi_fixture& api) {
    std::map<std::string, std::set<std::string>> matches;
    const operation list{.id = {}, .method = "GET", .path = "/api/v1/roles", .what = {}};
    const auto response = json::parse(api.send(list).body);
    for (const auto& each : response.at("items").as_array()) {
        auto& rights = matches[json::value_to<std::string>(each.at("name"))];
        for (const auto& right : each.at("rights").as_array())
            rights.insert(json::value_to<std::string>(right));
    }
    return matches;
}

// The token of a new user with one role, in a zone or, with none, everywhere.
inline std::string token_for(
    openapi_fixture& api, const std::string& role, const std::string& zone) {
    const auto user = role + "-" + (zone.empty() ? "all" : zone);
    const json::object desired{
        {"name", user},
        {"kind", "service"},
        {"grants", json::array{json::object{{"role", role}, {"zone", zone}}}}};
    const operation add{.id = {}, .method = "POST", .path = "/api/v1/users", .what = {}};
    const auto added = api.send(add, "", json::serialize(desired));
    REQUIRE_MESSAGE(added.status == 201, added.body);
    const operation make{.id = {}, .method = "POST", .path = "/api/v1/tokens", .what = {}};
    const auto result = api.send(make, "", json::serialize(json::object{{"user", user}}));
    REQUIRE_MESSAGE(result.status == 201, result.body);
    return json::value_to<std::string>(json::parse(result.body).at("secret"));
}

// Something good of a kind, as small as it may be; `named` is what stands for arguments of a name.
using known_names = std::map<std::string, std::string>;
inline json::value good_for(const json::object& schema, const known_names& named = {});

inline json::value good_text(const json::object& schema) {
    if (const auto* const choices = schema.if_contains("enum")) return choices->as_array().front();
    const auto* const format = schema.if_contains("format");
    if (format != nullptr && *format == "date-time") return "2026-11-16T22:00:00Z";
    const auto* const least = schema.if_contains("minLength");
    std::string result = "sample";
    if (least != nullptr && least->to_number<std::size_t>() > result.size())
        result.resize(least->to_number<std::size_t>(), 'x');
    const auto* const most = schema.if_contains("maxLength");
    if (most != nullptr && most->to_number<std::size_t>() < result.size())
        result.resize(most->to_number<std::size_t>());
    return json::value(result);
}

inline json::value good_object(const json::object& schema, const known_names& named) {
    json::object result;
    const auto* const needed = schema.if_contains("required");
    if (needed == nullptr) return result;
    for (const auto& each : needed->as_array()) {
        const auto name = json::value_to<std::string>(each);
        const auto it = named.find(name);
        result[name] = it != named.end()
                           ? json::value(it->second)
                           : good_for(schema.at("properties").at(name).as_object(), named);
    }
    return result;
}

inline json::value good_for(const json::object& schema, const known_names& named) {
    const auto* type = schema.if_contains("type");
    if (type != nullptr && type->is_array()) type = &type->as_array().front();
    const std::string kind = type == nullptr ? "" : std::string(type->as_string());
    if (kind == "boolean") return true;
    if (kind == "integer" || kind == "number") {
        const auto* const least = schema.if_contains("minimum");
        return least == nullptr ? json::value(1) : *least;
    }
    if (kind == "array") {
        const auto* const least = schema.if_contains("minItems");
        json::array result;
        if (least != nullptr)
            result.resize(
                least->to_number<std::size_t>(), good_for(schema.at("items").as_object(), named));
        return result;
    }
    if (kind == "object") return good_object(schema, named);
    return kind == "string" ? good_text(schema) : json::value("sample");
}

}  // namespace muster::integration
