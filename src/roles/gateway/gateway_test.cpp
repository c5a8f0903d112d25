#include "adapters/net/address_limit_key.h"
#include "api/agent/shared_address_networks.h"
#include "api/rest/state_json.h"

#include <doctest/doctest.h>

namespace muster::gateway {
namespace {

using cluster::engine;
using cluster::readiness;

const wall_time noon =
    std::chrono::sys_days(std::chrono::year(2027) / 3 / 1) + std::chrono::hours(12);

TEST_CASE("readiness tells each engine's state, and api::reasons only to operators") {
    readiness state;
    state.record_check(engine::metastore, {}, noon);
    state.record_check(engine::ledger, fail(errc::unavailable, "db1:5432 refused"), noon);

    const auto full = state_json(state.read(), api::engine_details::shown);
    const auto brief = state_json(state.read(), api::engine_details::withheld);

    CHECK(full.contains(R"("ready":false)"));
    CHECK(full.contains(R"("metastore":{"state":"answers","since":"2027-03-01T12:00:00Z"})"));
    CHECK(full.contains("db1:5432 refused"));
    CHECK(brief.contains(R"("ledger":{"state":"does not answer")"));
    CHECK_FALSE(brief.contains("db1"));
}

TEST_CASE("an address that stands for many is nobody's own") {
    const api::proxies proxies{network::parse("192.0.2.8/29").value()};
    const auto balancer = boost::asio::ip::make_address("192.0.2.10");
    const auto system = boost::asio::ip::make_address("192.0.2.20");

    CHECK(net::is_shared_address(proxies, balancer));
    CHECK_FALSE(net::is_shared_address(proxies, system));
    CHECK_FALSE(api::own_address(proxies, balancer).has_value());
    CHECK(api::own_address(proxies, system) == parse_address("192.0.2.20").value());
    CHECK_FALSE(net::is_shared_address({}, balancer));
}

}  // namespace
}  // namespace muster::gateway
