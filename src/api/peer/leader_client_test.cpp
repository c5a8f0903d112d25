// How a call gets to the leader, over mutual TLS on loopback.

#include "api/peer/leader_client.h"

#include "adapters/net/http/server.h"
#include "tests/fixtures/api/edit_session_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::api {
namespace {

namespace http = net::http;
using namespace test;

// The leader, which listens.
struct leading_house : edit_session_fixture {
    std::unique_ptr<http::server> listening;

    leading_house() {
        auto routes = std::make_shared<http::router>();
        REQUIRE(line.add_routes(*routes).has_value());
        std::vector<http::listener> listeners;
        listeners.push_back(
            {.address = {.host = "127.0.0.1", .port = 0},
             .tls = std::make_shared<net::rotating_tls_server>(
                 http::test::server_tls(http::test::server_identity())),
             .service = {.routes = std::move(routes)}});
        listening =
            http::server::start({.listeners = std::move(listeners), .clock = &clock}).value();
    }
    revision::leader_record record() const {
        return {
            .server = "there",
            .address = "127.0.0.1:" + std::to_string(listening->port(0)),
            .id = "1",
            .since = {}};
    }
};

async<int> status_of(http::client::options options, http::client_request outgoing) {
    http::client through(std::move(options));
    CO_TRY(const auto response, co_await through.send(std::move(outgoing)));
    co_return static_cast<int>(response.status);
}

TEST_CASE("what is handed on is done there, by the leader's own checks, and answered here") {
    leading_house there;
    edit_session_fixture fixture;
    const auto edit = there.begin("anna");
    const auto ask = [&](const edit_session_fixture::how& asks,
                         value::record record = {{"name", "web"}}) {
        return run_sync(fixture.line.forward(
            there.record(), fixture.call_of("groups.replace", std::move(record), asks)));
    };

    const auto drafted = ask({.edit = edit});
    REQUIRE(drafted.has_value());
    CHECK(drafted->status == 202);
    CHECK(drafted->recorded);
    CHECK(drafted->content.at("change").at("number").to_number<int>() == 1);
    CHECK(there.only_change().by == "anna");
    CHECK(fixture.done + there.done == 0);

    const auto refused = ask({.user = "ben"});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::conflict);
    CHECK(refused.error().detail().contains("edited by anna"));
    CHECK(ask({.edit = edit, .may = as("viewer")}).error().code() == errc::denied);
    CHECK(ask({.edit = "e-over"}).error().code() == errc::not_found);
    CHECK(ask({.edit = edit}, {{"name", 7}}).error().code() == errc::invalid);
}

TEST_CASE("what another door declares is handed on, drafted and carried out, too") {
    leading_house there;
    edit_session_fixture fixture;
    const auto edit = there.begin("anna");
    const auto ask = [&](value::record record) {
        return run_sync(fixture.line.forward(
            there.record(), fixture.call_of(fixture.elsewhere, std::move(record), {.edit = edit})));
    };

    REQUIRE(ask({{"label", "shop"}}).has_value());
    CHECK(ask({{"other", "shop"}}).error().code() == errc::unavailable);

    const auto change = there.only_change();
    CHECK(change.section == "channels");
    CHECK(change.name == "shop");
    CHECK(there.done == 0);
    REQUIRE(there.carry_out(change).has_value());
    CHECK(there.done == 1);
}

TEST_CASE("nothing is handed on twice, and a leader that is gone is said to be") {
    auto there = std::make_unique<leading_house>();
    edit_session_fixture fixture;
    auto again = fixture.call_of("groups.replace", {{"name", "web"}}, {});
    again.forwarded = true;
    CHECK(
        run_sync(fixture.line.forward(there->record(), again)).error().code() == errc::unavailable);

    const auto record = there->record();
    there.reset();
    const auto gone = run_sync(
        fixture.line.forward(record, fixture.call_of("groups.replace", {{"name", "web"}}, {})));
    REQUIRE_FALSE(gone.has_value());
    CHECK(gone.error().code() == errc::unavailable);
    CHECK(gone.error().detail().contains("leader \"there\" did not respond"));
}

TEST_CASE("only servers of the cluster hand calls on") {
    leading_house there;
    const auto post = [&](std::shared_ptr<const net::tls_client> as) {
        http::client_request outgoing{
            .method = "POST",
            .url = "https://" + there.record().address + "/cluster/common",
            .body = "{}"};
        return run_sync(
                   status_of({.clock = &there.clock, .tls = std::move(as)}, std::move(outgoing)))
            .value();
    };
    CHECK(post(http::test::client_tls()) == 403);
    CHECK(post(http::test::client_tls({"http/1.1"}, http::test::server_identity())) == 200);
}

}  // namespace
}  // namespace muster::api
