#include "adapters/ledger/postgres/postgres_ledger.h"

#include "ports/contract/ledger_contract.h"
#include "ports/contract/ledger_test_client.h"
#include "ports/contract/run_concurrently.h"
#include "tests/harness/faulty_tcp_proxy.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/until.h"

#include <doctest/doctest.h>

#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::ledger_postgres {
namespace {

using boost::asio::awaitable;
using contract::ledger_test_client;
using contract::machine;
using contract::one_write;
using namespace std::chrono_literals;

class postgres_fixture final : public contract::ledger_fixture {
public:
    contract::world& where() override { return world_; }

    std::shared_ptr<ledger> open(const std::string& database) override {
        if (databases_.insert(database).second) server_.create_database(database);
        return open_through(database, link_.port());
    }

    // Past the link, whatever state that is in.
    std::shared_ptr<ledger> open_directly(const std::string& database) {
        return open_through(database, server_.port());
    }

    std::shared_ptr<ledger> open_through(const std::string& database, std::uint16_t port) {
        settings settings;
        settings.address = server_.address(database, port);
        settings.tls = tls_mode::off;
        settings.attempt = 2s;
        settings.timeout = 4s;
        return ledger_postgres::open(std::move(settings));
    }

    bool can(contract::ledger_fault) const override { return true; }

    awaitable<void> kill_engine() override {
        server_.kill();
        co_return;
    }
    awaitable<void> restart_engine() override {
        server_.start();
        co_return;
    }
    awaitable<void> cut_link() override {
        link_.cut();
        co_return;
    }
    awaitable<void> heal_link() override {
        link_.heal();
        co_return;
    }

    harness::faulty_tcp_proxy& link() { return link_; }

private:
    harness::real_event_loop world_;
    harness::postgres_server server_;
    harness::faulty_tcp_proxy link_{server_.port()};
    std::set<std::string> databases_;
};

// One server for all test cases: starting one takes seconds.
postgres_fixture& shared_fixture() {
    static postgres_fixture fixture;
    return fixture;
}

awaitable<void> fall_silent(postgres_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    co_await scene.write(one_write("machines", {machine("web1", 1)}));
    fixture.link().stall();
    const auto unsent = co_await scene.store().write(one_write("machines", {machine("web2", 1)}));
    const auto unread = co_await scene.store().read(contract::all_of("machines"));
    fixture.link().heal();

    REQUIRE_FALSE(unsent.has_value());
    REQUIRE_FALSE(unread.has_value());
    CHECK(unread.error().code() == errc::unavailable);
    const auto again = co_await scene.write(one_write("machines", {machine("web2", 1)}));
    CHECK(again.changed + again.kept == 1);
    const auto rows = co_await scene.read_all(contract::all_of("machines"));
    CHECK(rows.size() == 2);
}

TEST_CASE("the PostgreSQL ledger keeps the promises of the port") {
    contract::check_ledger_contract(shared_fixture());
}

TEST_CASE("a server that falls silent is given up in time, and what was asked can be asked again") {
    auto& fixture = shared_fixture();
    fixture.where().run(fall_silent(fixture));
}

// As libpq sends it in a pipeline: a text between two zero bytes. (Temporary tables say ON COMMIT.)
const std::string commit_statement("\0COMMIT\0", 8);

// A writer whose COMMIT reaches the server, and its answer nobody; seen from beside the link.
class lost_commit {
public:
    explicit lost_commit(postgres_fixture& fixture)
        : link_(fixture.link()),
          scene_(fixture),
          probe_(fixture.open_directly(scene_.database())) {}

    awaitable<void> write() {
        co_await scene_.migrate();
        auto migrated = co_await probe_->migrate(contract::scenario_schema());
        REQUIRE(migrated.has_value());
        co_await scene_.write(one_write("machines", {machine("web0", 1)}));
        link_.stall_answers_after(commit_statement);
        outcome_ = co_await scene_.store().write(change_);
    }

    awaitable<void> wait_until_committed() {
        return harness::until_answered(
            scene_.clock(), "the COMMIT is done", [this] { return committed(); });
    }

    awaitable<bool> committed() {
        if (!link_.answers_are_stalled()) co_return false;
        const auto rows = co_await rows_beside();
        co_return rows == 2;
    }

    awaitable<std::size_t> rows_beside() {
        const auto page = co_await probe_->read(contract::all_of("machines"));
        REQUIRE(page.has_value());
        co_return page->rows.size();
    }

    harness::faulty_tcp_proxy& link() { return link_; }
    ledger_test_client& scene() { return scene_; }
    const table::batch& change() const { return change_; }
    const result<table::summary>& outcome() const { return outcome_; }

private:
    harness::faulty_tcp_proxy& link_;
    ledger_test_client scene_;
    std::shared_ptr<ledger> probe_;
    table::batch change_ = one_write("machines", {machine("web1", 1)});
    result<table::summary> outcome_ = fail(errc::cancelled);
};

awaitable<void> stay_away(lost_commit& writer) {
    co_await writer.write();
    const auto stored = co_await writer.rows_beside();
    writer.link().heal();

    CHECK(stored == 2);
    REQUIRE_FALSE(writer.outcome().has_value());
    CHECK(writer.outcome().error().code() == errc::timed_out);
    const auto again = co_await writer.scene().write(writer.change());
    CHECK(again.kept == 1);
    CHECK(again.changed == 0);
}

TEST_CASE("a COMMIT that was done and whose answer is lost is called unknown, not undone") {
    lost_commit writer(shared_fixture());
    shared_fixture().where().run(stay_away(writer));
}

awaitable<void> cut_after_the_commit(lost_commit& writer) {
    co_await writer.wait_until_committed();
    writer.link().cut();
    writer.link().heal();
}

awaitable<void> come_back(lost_commit& writer) {
    std::vector<awaitable<void>> work;
    work.push_back(writer.write());
    work.push_back(cut_after_the_commit(writer));
    co_await contract::run_concurrently(std::move(work));

    REQUIRE_MESSAGE(writer.outcome().has_value(), to_string(writer.outcome().error()));
    CHECK(writer.outcome()->kept == 1);
    CHECK(writer.outcome()->changed == 0);
    const auto stored = co_await writer.rows_beside();
    CHECK(stored == 2);
}

TEST_CASE("a group whose COMMIT was done before the link was cut is written again to no effect") {
    lost_commit writer(shared_fixture());
    shared_fixture().where().run(come_back(writer));
}

awaitable<void> migrate(ledger& to, result<void>& outcome) {
    outcome = co_await to.migrate(contract::scenario_schema());
}

result<void> migrate_with(const settings& settings) {
    harness::real_event_loop world;
    const auto tried = ledger_postgres::open(settings);
    result<void> outcome;
    world.run(migrate(*tried, outcome));
    return outcome;
}

TEST_CASE("it connects by TLS with a password from a file, and says why when it may not") {
    const harness::postgres_server server(harness::postgres_server::access::password_within_tls);
    const auto wrong_password = server.log_file().parent_path() / "wrong";
    std::ofstream(wrong_password) << "guessed\n";
    settings good;
    good.address = server.address("postgres");
    good.tls_ca = server.ca_file();
    good.password_file = server.password_file();
    good.migration_timeout = 10s;
    settings guessing = good;
    guessing.password_file = wrong_password;
    guessing.migration_timeout = 2s;  // enough for one whole attempt on a busy machine
    settings plain = guessing;
    plain.password_file = server.password_file();
    plain.tls = tls_mode::off;
    settings unreadable = guessing;
    unreadable.password_file = "/nonexistent";

    const auto connected = migrate_with(good);
    const auto guessed = migrate_with(guessing);
    const auto without_tls = migrate_with(plain);
    const auto without_file = migrate_with(unreadable);

    CHECK_MESSAGE(connected.has_value(), (connected ? "" : to_string(connected.error())));
    REQUIRE_FALSE(guessed.has_value());
    CHECK(guessed.error().code() == errc::unavailable);
    CHECK(guessed.error().detail().find("password") != std::string::npos);
    CHECK(guessed.error().detail().find("guessed") == std::string::npos);
    REQUIRE_FALSE(without_tls.has_value());
    CHECK(without_tls.error().detail().find("pg_hba.conf") != std::string::npos);
    REQUIRE_FALSE(without_file.has_value());
    CHECK(without_file.error().detail().find("/nonexistent") != std::string::npos);
}

}  // namespace
}  // namespace muster::ledger_postgres
