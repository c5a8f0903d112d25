#include "adapters/os/file.h"
#include "adapters/pki/authority.h"
#include "adapters/sqlite/database.h"
#include "runtime/clock.h"
#include "tests/integration/muster_server.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <utility>

namespace muster::integration {
namespace {

using namespace std::chrono_literals;

std::filesystem::path write_settings(const muster_server& near, const std::string& yaml) {
    const auto file = near.data().parent_path() / "muster.yaml";
    std::ofstream(file) << yaml;
    return file;
}

void found_and_stop(muster_server& server) {
    server.start_and_wait_until_ready();
    REQUIRE(server.stop() == 0);
}

TEST_CASE("a wrong flag is answered with the nearest one and exit code 2") {
    const auto refused = run({MUSTER_PROGRAM, "serve", "--lisen", "127.0.0.1:1"});

    CHECK(refused.exit_code == 2);
    CHECK(refused.output.contains("closest match: \"--listen\""));
}

TEST_CASE("all problems of a settings file are listed with their lines, and nothing is started") {
    const muster_server place;
    const auto file = write_settings(place, "lisen: 1\nlog.level: loud\ndrain.timeout: 30\n");
    muster_server server({"--config", file.string()});

    const auto refused = server.run_to_end();

    CHECK(refused.exit_code == 2);
    CHECK(refused.output.contains(
        R"(muster.yaml:1: unknown setting "lisen"; closest match: "listen")"));
    CHECK(refused.output.contains("muster.yaml:2: log.level"));
    CHECK(refused.output.contains("muster.yaml:3: drain.timeout"));
    CHECK_FALSE(std::filesystem::exists(server.data()));
    const auto checked = run({MUSTER_PROGRAM, "config", "check", file.string()});
    CHECK(checked.exit_code == 2);
    CHECK(checked.output.contains("problems found: 3"));
}

TEST_CASE("an engine on another machine is refused without TLS, with the cure") {
    muster_server server({"--bus", "nats://192.0.2.1:4222"});

    const auto refused = server.run_to_end();

    CHECK(refused.exit_code == 2);
    CHECK(refused.output.contains("`bus` uses the remote host 192.0.2.1"));
    CHECK(refused.output.contains("`bus.ca`"));
    CHECK(refused.output.contains("`engines.insecure`"));
    CHECK_FALSE(std::filesystem::exists(server.data()));
}

TEST_CASE("what is wrong only with settings taken together is found without a start, too") {
    const muster_server place;
    const auto far = write_settings(place, "bus: nats://192.0.2.1:4222\n");

    const auto checked = run({MUSTER_PROGRAM, "config", "check", far.string()});

    CHECK(checked.exit_code == 2);
    CHECK(checked.output.contains("`bus` uses the remote host 192.0.2.1"));
    CHECK(checked.output.contains("problems found: 1"));
    const auto twice = write_settings(place, "join: a@b:1\njoin_file: /tmp/token\n");
    CHECK(run({MUSTER_PROGRAM, "config", "check", twice.string()})
              .output.contains("mutually exclusive"));
}

TEST_CASE("what a start would refuse for its settings, a check of the file refuses as well") {
    const muster_server place;
    const auto file = write_settings(
        place,
        "name: a b/c\nhealth.listen: 0.0.0.0:8444\nmetastore.ca: /nowhere/ca.pem\n"
        "join: foo\nagent.heartbeat_timeout: 13s\n");
    const auto data = place.data().string();

    const auto started = run({MUSTER_PROGRAM, "serve", "--config", file.string(), "--data", data});
    const auto checked =
        run({"env", "MUSTER_CONFIG=" + file.string(), MUSTER_PROGRAM, "config", "check"});

    for (const auto& [exit_code, output] : {started, checked}) {
        CHECK(exit_code == 2);
        CHECK(output.contains("muster.yaml:1: name: node name must be"));
        CHECK(output.contains("muster.yaml:2: health.listen: "));
        CHECK(output.contains("muster.yaml:3: metastore.ca: file"));
        CHECK(output.contains("/nowhere/ca.pem"));
        CHECK(output.contains("muster.yaml:4: join: "));
        CHECK(output.contains("muster.yaml:5: agent.heartbeat_timeout: 13s is less than two"));
    }
    CHECK(checked.output.contains("problems found: 5"));
    CHECK(started.output.contains(R"("error","message":"invalid setting; server not started")"));
    CHECK_FALSE(std::filesystem::exists(place.data()));
}

TEST_CASE("a port that is taken or an address of another machine is found before any writing") {
    muster_server first;
    first.start_and_wait_until_ready();
    const auto reserved = "127.0.0.1:" + std::to_string(first.port());
    for (const auto& [flag, address] :
         {std::pair("--listen", reserved),
          std::pair("--health-listen", reserved),
          std::pair("--listen", std::string("192.0.2.1:8443"))}) {
        muster_server second({flag, address});

        const auto refused = second.run_to_end();

        CHECK(refused.exit_code == 1);
        CHECK_MESSAGE(
            refused.output.contains("muster serve: listening on " + address), refused.output);
        CHECK_FALSE(std::filesystem::exists(second.data()));
    }
}

TEST_CASE("a start that is refused is an event of a log in JSON, and nothing is said to stop") {
    muster_server server;
    found_and_stop(server);
    std::filesystem::remove(server.data() / "metastore.db");

    const auto refused = server.run_to_end();

    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(
        refused.output.contains(R"("level":"error","message":"server failed","error":")"),
        refused.output);
    CHECK(refused.output.contains("\nmuster serve: "));
    CHECK_FALSE(refused.output.contains("shutdown started"));
}

TEST_CASE("a reload names every problem of the settings file and goes on") {
    const muster_server place;
    const auto file = write_settings(place, "log.level: info\n");
    muster_server server({"--config", file.string()});
    server.start_and_wait_until_ready();

    write_settings(place, "lisen: 1\nlog.level: loud\n");
    server.send_signal(SIGHUP);

    harness::eventually("the reload is refused", [&] {
        return server.log().contains("settings reload rejected; log level unchanged");
    });
    CHECK(server.log().contains(R"(muster.yaml:1: unknown setting \"lisen\")"));
    CHECK(server.log().contains(R"(muster.yaml:2: log.level: \"loud\")"));
    CHECK(server.ready());
}

TEST_CASE("a data directory that cannot be written is refused with its name") {
    muster_server server({}, "/proc/muster");

    const auto refused = server.run_to_end();

    CHECK(refused.exit_code == 1);
    CHECK(refused.output.contains("/proc/muster cannot be used"));
}

TEST_CASE("a second server on one data directory is refused and the first goes on") {
    muster_server first;
    first.start_and_wait_until_ready();
    muster_server second({}, first.data());

    const auto refused = second.run_to_end();

    CHECK(refused.exit_code == 1);
    CHECK(refused.output.contains("another server (process "));
    CHECK(first.ready());
}

TEST_CASE("a metastore of another cluster is refused with both ids") {
    muster_server ours;
    muster_server theirs;
    found_and_stop(ours);
    found_and_stop(theirs);

    for (const auto* file : {"metastore.db", "metastore.db-wal", "metastore.db-shm"}) {
        std::filesystem::remove(ours.data() / file);
        if (std::filesystem::exists(theirs.data() / file))
            std::filesystem::copy_file(theirs.data() / file, ours.data() / file);
    }
    const auto refused = ours.run_to_end();

    CHECK(refused.exit_code == 1);
    auto id = text_of(ours.data() / "cluster-id");
    id.pop_back();
    CHECK(refused.output.contains("belongs to cluster " + id));
}

TEST_CASE("an emptied metastore is refused instead of founding a second cluster") {
    muster_server server;
    found_and_stop(server);
    for (const auto* file : {"metastore.db", "metastore.db-wal", "metastore.db-shm"})
        std::filesystem::remove(server.data() / file);

    const auto refused = server.run_to_end();

    CHECK(refused.exit_code == 1);
    CHECK(refused.output.contains("the metastore holds no cluster"));
}

void remove_ledger(const muster_server& server) {
    for (const auto* file : {"ledger.db", "ledger.db-wal", "ledger.db-shm"})
        std::filesystem::remove(server.data() / file);
}

TEST_CASE("an emptied ledger is refused instead of forgetting every system") {
    muster_server server;
    found_and_stop(server);
    remove_ledger(server);

    const auto refused = server.run_to_end();
    const auto again = server.run_to_end();

    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(refused.output.contains("already has a ledger"), refused.output);
    CHECK(again.exit_code == 1);  // nothing was written that would make it fit
}

std::string schema_of(const std::filesystem::path& file) {
    auto store = sqlite::database::open({.file = file}).value();
    auto rows =
        store.prepare("SELECT count(*) || ' of ' || max(version) FROM muster_migrations").value();
    REQUIRE(rows.step().value());
    return std::string(rows.text(0));
}

// As a program before the last migration left it.
void take_back_last_migration(const std::filesystem::path& file) {
    auto store = sqlite::database::open({.file = file}).value();
    REQUIRE(store
                .execute("DELETE FROM muster_migrations WHERE version = "
                         "(SELECT max(version) FROM muster_migrations)")
                .has_value());
}

TEST_CASE("a ledger of another cluster is refused and not brought up to this program's schema") {
    muster_server ours;
    muster_server theirs;
    found_and_stop(ours);
    found_and_stop(theirs);
    remove_ledger(ours);
    std::filesystem::copy_file(theirs.data() / "ledger.db", ours.data() / "ledger.db");
    take_back_last_migration(ours.data() / "ledger.db");
    const auto before = schema_of(ours.data() / "ledger.db");

    const auto refused = ours.run_to_end();

    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(refused.output.contains("the ledger belongs to cluster"), refused.output);
    CHECK(schema_of(ours.data() / "ledger.db") == before);
}

TEST_CASE("who does not have the cluster's CA leaves its ledger as it is") {
    muster_server theirs;
    found_and_stop(theirs);
    take_back_last_migration(theirs.data() / "ledger.db");
    const auto before = schema_of(theirs.data() / "ledger.db");
    muster_server stranger(
        {"--metastore",
         "sqlite:" + (theirs.data() / "metastore.db").string(),
         "--ledger",
         "sqlite:" + (theirs.data() / "ledger.db").string()});

    const auto refused = stranger.run_to_end();

    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(
        refused.output.contains("does not contain the CA of that cluster"), refused.output);
    CHECK(schema_of(theirs.data() / "ledger.db") == before);
}

TEST_CASE("a ledger with a newer schema is refused with a sentence") {
    muster_server server;
    found_and_stop(server);
    {
        auto store = sqlite::database::open({.file = server.data() / "ledger.db"});
        REQUIRE(store.has_value());
        REQUIRE(store
                    ->execute("INSERT INTO muster_migrations (version, what, digest) "
                              "VALUES (99, 'from the future', 'x')")
                    .has_value());
    }

    const auto refused = server.run_to_end();

    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(refused.output.contains("schema version 99"), refused.output);
}

TEST_CASE("an expired certificate is refused with its date and the cure") {
    muster_server server;
    found_and_stop(server);
    const auto authority = pki::authority::from_pem(
        text_of(server.data() / "ca.pem"), text_of(server.data() / "ca-key.pem"));
    REQUIRE(authority.has_value());
    const auto old = authority->issue(
        {.name = "muster-1",
         .hosts = {"127.0.0.1"},
         .now = runtime::system_clock().wall() - std::chrono::days(100)});
    REQUIRE(old.has_value());
    const auto chain = old->chain.front().to_pem();
    const auto key = old->key.to_pem();
    REQUIRE(os::save_file({.file = server.data() / "server.pem", .text = chain}).has_value());
    REQUIRE(os::save_file({.file = server.data() / "server-key.pem", .text = key}).has_value());

    const auto refused = server.run_to_end();
    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(refused.output.contains("server.pem"), refused.output);
    CHECK(refused.output.contains("UTC"));
    CHECK(refused.output.contains("remove the file"));

    std::filesystem::remove(server.data() / "server.pem");
    server.start_and_wait_until_ready();
}

}  // namespace
}  // namespace muster::integration
