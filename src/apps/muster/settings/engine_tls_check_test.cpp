#include "apps/muster/server/engine_tls_check.h"

#include "apps/muster/server/server_options.h"
#include "apps/muster/settings/server_settings.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace muster::cli {
namespace {

using flags = std::vector<std::pair<std::string, std::string>>;

runtime::settings resolved(const flags& flags) {
    runtime::settings_source from;
    for (const auto& [name, value] : flags)
        from.entries.push_back({.name = name, .text = value, .origin = "--" + name});
    auto read = runtime::resolve(server_settings(), {from});
    REQUIRE(read.problems.empty());
    return read.values;
}

result<void> checked(const flags& flags) {
    return server::check_engine_tls(resolved(flags));
}

TEST_CASE("an engine on another machine is refused without TLS, by name and with the cure") {
    const std::string etcd = "etcd://127.0.0.1:2379,10.0.0.2:2379";
    const std::string nats = "nats://bus.acme.org:4222";
    const std::string postgres = "postgresql://muster@10.0.0.9/muster";

    const auto refused = checked({{"metastore", etcd}});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::invalid);
    for (const auto* part : {"`metastore`", "10.0.0.2", "`metastore.ca`", "`engines.insecure`"})
        CHECK(refused.error().detail().contains(part));
    CHECK_FALSE(checked({{"bus", nats}}).has_value());
    CHECK_FALSE(checked({{"ledger", postgres}, {"ledger.tls", "off"}}).has_value());

    CHECK(checked({{"metastore", etcd}, {"metastore.ca", "ca.pem"}}).has_value());
    CHECK(checked({{"bus", nats}, {"bus.ca", "ca.pem"}}).has_value());
    CHECK(checked({{"ledger", postgres}}).has_value());
    CHECK(checked({{"bus", nats}, {"engines.insecure", "true"}}).has_value());
}

TEST_CASE("engines on this machine need no TLS") {
    CHECK(checked({}).has_value());
    CHECK(checked({{"metastore", "sqlite:/srv/metastore.db"}}).has_value());
    CHECK(checked({{"metastore", "etcd://localhost:2379"}, {"bus", "nats://[::1]:4222"}})
              .has_value());
    for (const auto* address :
         {"postgresql://muster@127.0.0.1:5432/muster", "postgresql:///muster?host=/run/postgresql"})
        CHECK(checked({{"ledger", address}, {"ledger.tls", "off"}}).has_value());
}

TEST_CASE("every place an address of PostgreSQL hides is looked at") {
    for (const auto* address :
         {"postgresql://muster@127.0.0.1,10.0.0.9/muster",
          "postgresql:///muster?host=10.0.0.9",
          "postgresql://localhost/muster?hostaddr=10.0.0.9",
          "postgresql://127.0.0.1/muster?host=10.0.0.9"})
        CHECK_FALSE_MESSAGE(
            checked({{"ledger", address}, {"ledger.tls", "off"}}).has_value(), address);
}

TEST_CASE("where engines are is told with their ports, and webhooks are kept away from there") {
    const auto desired = resolved(
        {{"metastore", "etcd://127.0.0.1:2379,10.0.0.2:2389"},
         {"bus", "nats://bus.acme.org:4222"},
         {"ledger", "postgresql://muster@db1,db2:6432/muster"},
         {"listen", "0.0.0.0:9443"},
         {"health.listen", "127.0.0.1:9444"},
         {"advertise", "muster1.acme.org:443"}});
    const std::vector<endpoint> engines{
        {.host = "127.0.0.1", .port = 2379},
        {.host = "10.0.0.2", .port = 2389},
        {.host = "db1", .port = 5432},
        {.host = "db2", .port = 6432},
        {.host = "bus.acme.org", .port = 4222}};
    CHECK(server::engine_endpoints(desired).value() == engines);
    CHECK(server::engine_endpoints(resolved({})).value().empty());
    const auto socket = resolved({{"ledger", "postgresql:///muster?host=/run/postgresql"}});
    CHECK(server::engine_endpoints(socket).value().empty());

    const events::webhook_address_policy addresses(
        server::options_from(desired).value().services.management.webhooks);
    for (const auto* const url :
         {"https://db2:6432/",
          "https://localhost:2379/",
          "https://127.0.0.1:9443/",
          "https://localhost:9444/",
          "https://muster1.acme.org/"})
        CHECK_FALSE_MESSAGE(addresses.check(url).has_value(), url);
    CHECK_FALSE(addresses.check("http://127.0.0.1:80/").has_value());
    CHECK(addresses.check("https://chat.acme.org/").has_value());
}

}  // namespace
}  // namespace muster::cli
