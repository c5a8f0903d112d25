#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/hosts.h"
#include "runtime/clock.h"
#include "tests/harness/postgres_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <string>

// Addresses that name several servers, and which of them is taken.
namespace muster::ledger_postgres {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

TEST_CASE("an address names its places one by one, with one port for all or one for each") {
    const auto places = host_addresses_of("postgresql://muster@db1:5001,db2:5002/muster").value();
    REQUIRE(places.size() == 2);
    CHECK(places[1].host == "db2");
    CHECK(places[1].port == "5002");
    const auto shared = host_addresses_of("postgresql:///muster?host=db1,db2&port=5001").value();
    REQUIRE(shared.size() == 2);
    CHECK(shared[1].port == "5001");
    const auto pinned = host_addresses_of("postgresql://db1/muster?hostaddr=192.0.2.1").value();
    REQUIRE(pinned.size() == 1);
    CHECK(pinned[0].host == "db1");
    CHECK(pinned[0].address == "192.0.2.1");
    CHECK(host_addresses_of("postgresql:///muster").value().size() == 1);
    const auto usual = host_addresses_of("postgresql://db1,db2:6432/muster").value();
    REQUIRE(usual.size() == 2);
    CHECK(usual[0].port == "5432");
    CHECK(usual[1].port == "6432");
    for (const auto* wrong :
         {"postgresql:///muster?host=db1,db2&port=1,2,3",
          "postgresql:///muster?host=db1,db2&hostaddr=192.0.2.1"})
        CHECK(host_addresses_of(wrong).error().code() == errc::invalid);
    CHECK(host_addresses_of("postgresql://[::1").error().code() == errc::invalid);
}

harness::postgres_server& shared_server() {
    static harness::postgres_server server;
    return server;
}

settings at(std::string address) {
    settings result;
    result.address = std::move(address);
    result.tls = tls_mode::off;
    return result;
}

instant soon() {
    return runtime::monotonic_now() + 4s;
}

TEST_CASE("a server is found behind one that takes connections and says nothing") {
    auto& server = shared_server();
    asio::io_context loop;
    const asio::ip::tcp::acceptor silent(loop, {asio::ip::address_v4::loopback(), 0});
    const auto how =
        at("postgresql://muster@127.0.0.1:" + std::to_string(silent.local_endpoint().port())
           + ",127.0.0.1:" + std::to_string(server.port()) + "/postgres");

    const auto result = connection::open(how, soon());
    const auto begun = runtime::monotonic_now();
    const auto again = connection::open(how, soon());

    REQUIRE_MESSAGE(result.has_value(), to_string(result.error()));
    REQUIRE(again.has_value());
    CHECK(runtime::monotonic_now() - begun < 2s);  // the share of the silent one
    CHECK(result->server_responds(how, {.deadline = soon()}));
}

TEST_CASE("a server that takes no writes is passed over, and said to be so if there is no other") {
    auto& server = shared_server();
    server.create_database("standby");
    auto admin = connection::open(at(server.address("postgres")), soon()).value();
    REQUIRE(admin.run("ALTER DATABASE standby SET default_transaction_read_only = on", soon())
                .has_value());

    const auto result = connection::open(at(server.address("standby")), soon());

    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code() == errc::unavailable);
    CHECK_MESSAGE(result.error().detail().contains("read-only"), result.error().detail());
}

TEST_CASE("a connection whose server takes no writes any more is given up") {
    auto result = connection::open(at(shared_server().address("postgres")), soon()).value();
    REQUIRE(result.run("SET default_transaction_read_only = on", soon()).has_value());

    const auto refused = result.run("CREATE TABLE notes (line text)", soon());

    CHECK(refused.error().code() == errc::unavailable);
    CHECK(result.broken());
}

}  // namespace
}  // namespace muster::ledger_postgres
