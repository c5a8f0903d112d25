#pragma once

// A gateway that is asked over TLS by an admin who is logged in. Whoever derives from it declares
// its operations in `operations`, calls serve(), and in the end stop() before its parts are gone.
#include "adapters/net/http/client.h"
#include "adapters/net/http/server.h"
#include "roles/gateway/rest_door.h"
#include "tests/gateway/engine_room.h"
#include "tests/gateway/staff.h"
#include "tests/net/site.h"

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::gateway::test {

namespace http = net::http;
namespace json = boost::json;

inline async<http::answer> fetch(http::client::options how, http::outgoing what) {
    http::client through(std::move(how));
    co_return co_await through.send(std::move(what));
}

struct rest_site : engine_room {
    using engine_room::engine_room;

    front_desk desk{time};
    staff people;
    registry operations{time, {}};
    rest_door rest{operations, desk};
    std::unique_ptr<http::server> listening;
    std::string token;

    void serve(std::shared_ptr<http::router> routes = std::make_shared<http::router>()) {
        REQUIRE(rest.add_routes(*routes));
        std::vector<http::listener> listeners;
        listeners.push_back(
            {.where = {.host = "127.0.0.1", .port = 0},
             .tls = std::make_shared<net::rotating_tls_server>(
                 http::test::server_tls(http::test::server_identity())),
             .what = {.routes = std::move(routes)}});
        listening =
            http::server::start({.listeners = std::move(listeners), .time = &time, .loops = 1})
                .value();
        desk.open(people.open(surroundings_of(people.known), time));
        token = people.token;
    }

    void stop() { listening.reset(); }

    // Somebody else's token.
    std::string log_in(const std::string& name, std::vector<access::grant> grants) {
        staff::add(*store, name, std::move(grants));
        return staff::log_in(*desk.enter().value(), name);
    }

    std::string address() const {
        return "https://127.0.0.1:" + std::to_string(listening->port(0));
    }

    http::answer send(
        const std::string& method,
        const std::string& path,
        const json::object& body = {},
        http::field_list fields = {}) {
        http::outgoing what{
            .method = method,
            .url = address() + path,
            .fields = std::move(fields),
            .body = body.empty() ? "" : json::serialize(body)};
        if (!token.empty()) what.fields.emplace_back("Authorization", "Bearer " + token);
        const http::client::options through{.time = &time, .tls = http::test::client_tls()};
        return answer_of(fetch(through, std::move(what))).value();
    }
    json::object call(const std::string& method, const std::string& path, json::object body = {}) {
        const auto answered = send(method, path, body);
        INFO(answered.body);
        REQUIRE(answered.status < 300);
        return json::parse(answered.body).as_object();
    }
};

}  // namespace muster::gateway::test
