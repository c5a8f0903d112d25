#include "apps/muster/server/engine_links.h"

#include "apps/muster/cli/server_settings.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace muster::cli {
namespace {

using flags = std::vector<std::pair<std::string, std::string>>;

result<void> checked(const flags& given) {
    runtime::reading from;
    for (const auto& [name, value] : given)
        from.written.push_back({.name = name, .text = value, .where = "--" + name});
    auto resolved = runtime::resolve(server_settings(), {from});
    REQUIRE(resolved.problems.empty());
    return server::check_engine_links(resolved.values);
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

}  // namespace
}  // namespace muster::cli
