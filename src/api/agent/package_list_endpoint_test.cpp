#include "api/agent/package_list_endpoint.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/net/http/client.h"
#include "adapters/net/http/server.h"
#include "base/hex.h"
#include "services/schema/ledger_schema.h"
#include "tests/fixtures/net/http_fixture.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace muster::api {
namespace {

namespace http = net::http;
using harness::run_sync;

async<http::client_response> fetch(http::client::options options, http::client_request outgoing) {
    http::client through(std::move(options));
    co_return co_await through.send(std::move(outgoing));
}

// A server that knows one agent.
struct door_site {
    harness::temporary_directory home{"door"};
    muster::clock& clock = http::test::the_clock();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = home.path() / "ledger.db"}).value();
    content::package_sets sets{*records, clock};
    fleet::system_cache known;
    package_list_endpoint door{known, sets, clock};
    pki::private_key agent = pki::private_key::create(pki::key_kind::ed25519).value();
    pki::private_key stranger = pki::private_key::create(pki::key_kind::ed25519).value();
    std::unique_ptr<http::server> listening;

    door_site() {
        REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
        system_record record{
            .print = pki::ed25519_fingerprint(agent.public_half().ed25519_bytes().value()),
            .public_key = "k"};
        record.number = system_number(1);
        record.stage = enrolment::accepted;
        record.zone = "default";
        known.begin_reading();
        known.apply(std::vector{record});
        known.end_reading();
        auto routes = std::make_shared<http::router>();
        REQUIRE(door.add_routes(*routes).has_value());
        std::vector<http::listener> listeners;
        listeners.push_back(
            {.address = {.host = "127.0.0.1", .port = 0},
             .tls = std::make_shared<net::rotating_tls_server>(
                 http::test::server_tls(http::test::server_identity())),
             .service = {.routes = std::move(routes)}});
        listening =
            http::server::start({.listeners = std::move(listeners), .clock = &clock, .loops = 1})
                .value();
    }

    http::client_response bring(const pki::private_key& private_key, int number) {
        const auto text = fmt::format("packages rpm\ntill{}\t\t1.0\t1\tnoarch\n", number);
        http::client_request outgoing{
            .method = "POST",
            .url = fmt::format(
                "https://127.0.0.1:{}/system/packages?digest={}",
                listening->port(0),
                to_hex(pki::sha256(text))),
            .body = text};
        return run_sync(
                   fetch(
                       {.clock = &clock, .tls = http::test::client_tls(), .agent = private_key},
                       std::move(outgoing)))
            .value();
    }
};

TEST_CASE("a system brings some lists of packages at once, and then is told when to come again") {
    door_site fixture;
    for (std::uint32_t n = 0; n < package_list_endpoint::rate_per_system.burst; ++n)
        REQUIRE(fixture.bring(fixture.agent, static_cast<int>(n)).status == 204);

    const auto refused = fixture.bring(fixture.agent, 100);
    CHECK(refused.status == 429);
    CHECK(std::stoi(std::string(refused.field("retry-after").value_or("0"))) > 60);
    CHECK(fixture.bring(fixture.stranger, 101).status == 403);
}

}  // namespace
}  // namespace muster::api
