#include "tests/fixtures/ledger/postgres_connection.h"
#include "tests/harness/process.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

// What is known of a transaction whose session an administrator ends.
namespace muster::ledger_postgres {
namespace {

struct stage {
    harness::postgres_server server;
    connection writing = connected_to(server);
    connection probe = connected_to(server);

    void run(const std::string& text) { REQUIRE(probe.run(text, in_time()).has_value()); }

    int count(const std::string& query) {
        const auto match = probe.execute({.text = query, .parameters = {}}, in_time());
        REQUIRE(match.has_value());
        return match->rows();
    }

    // Ends the session that waits for this, as soon as one does.
    void end_who_waits_for(const std::string& event) {
        const std::string whose = " FROM pg_stat_activity WHERE wait_event = '" + event + "'";
        harness::eventually("a session waits for " + event, [this, &whose] {
            return count("SELECT pid" + whose) > 0;
        });
        run("SELECT pg_terminate_backend(pid)" + whose);
    }
};

result<std::vector<query_result>> insert(connection& connection) {
    CHECK_OK(connection.run("BEGIN", in_time()));
    return connection.commit(
        {{.text = "INSERT INTO t VALUES ($1)", .parameters = {"web1"}}}, in_time());
}

TEST_CASE("a COMMIT that is ended while it waits for a standby is called unknown: it was done") {
    stage fixture;
    fixture.run("CREATE TABLE t (name text)");
    fixture.run("ALTER SYSTEM SET synchronous_standby_names = 'absent'");
    fixture.run("SELECT pg_reload_conf()");
    result<std::vector<query_result>> outcome;
    int tries = 0;

    // The server takes its new setting when it comes to it; those before do not wait.
    std::jthread writer([&] {
        do {
            outcome = insert(fixture.writing);
            ++tries;
        } while (outcome);
    });
    fixture.end_who_waits_for("SyncRep");
    writer.join();

    CHECK(outcome.error().code() == errc::timed_out);
    CHECK(fixture.count("SELECT name FROM t") == tries);
}

TEST_CASE("a transaction that is ended before its COMMIT has not happened, and that is said") {
    stage fixture;
    fixture.run("CREATE TABLE t (name text)");
    fixture.run("BEGIN");
    fixture.run("LOCK TABLE t");
    result<std::vector<query_result>> outcome;

    std::jthread writer([&] { outcome = insert(fixture.writing); });
    fixture.end_who_waits_for("relation");
    writer.join();
    fixture.run("COMMIT");

    REQUIRE_FALSE(outcome.has_value());
    CHECK_MESSAGE(outcome.error().code() == errc::unavailable, to_string(outcome.error()));
    CHECK(fixture.writing.broken());
    CHECK(fixture.count("SELECT name FROM t") == 0);
}

}  // namespace
}  // namespace muster::ledger_postgres
