// What a third party hears that listens on the database itself.

#include "adapters/ledger/postgres/postgres_ledger.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/run_sync.h"

#include <doctest/doctest.h>

#include <chrono>
#include <libpq-fe.h>
#include <memory>
#include <poll.h>
#include <string>

namespace muster::ledger_postgres {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;

struct freed {
    void operator()(PGconn* connection) const { PQfinish(connection); }
    void operator()(PGnotify* p_gnotify) const { PQfreemem(p_gnotify); }
};

// The next notification's text; empty when there is none within half a minute.
std::string next_notification(PGconn& connection) {
    constexpr int timeout_ms = 30'000;
    while (true) {
        if (const std::unique_ptr<PGnotify, freed> heard(PQnotifies(&connection)); heard)
            return heard->extra;
        pollfd socket{.fd = PQsocket(&connection), .events = POLLIN, .revents = 0};
        if (::poll(&socket, 1, timeout_ms) <= 0) return {};
        REQUIRE(PQconsumeInput(&connection) == 1);
    }
}

TEST_CASE("whoever listens on the database hears how many rows of which table were written") {
    harness::postgres_server server;
    server.create_database("heard");
    const auto address = server.address("heard");
    const auto records = open({.address = address, .tls = tls_mode::off});
    table::schema schema;
    schema.migrations.push_back(
        {.version = 1,
         .description = "deeds",
         .steps = {table::create_table{
             {.name = "deeds",
              .columns = {{.name = "id", .type = table::column_type::integer}},
              .key = {"id"},
              .partition = std::nullopt,
              .sequenced = table::sequencing::by_commit}}}});
    REQUIRE(run_sync(records->migrate(schema)));
    const std::unique_ptr<PGconn, freed> connection(PQconnectdb(address.c_str()));
    REQUIRE(PQstatus(connection.get()) == CONNECTION_OK);
    PQclear(PQexec(connection.get(), "LISTEN muster_changes"));

    table::batch some;
    some.writes.push_back({.table = "deeds", .rows = {{std::int64_t{1}}, {std::int64_t{2}}}});
    REQUIRE(run_sync(records->write(std::move(some))));
    CHECK(next_notification(*connection) == "deeds=2");
}

}  // namespace
}  // namespace muster::ledger_postgres
