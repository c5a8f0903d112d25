#include "ports/contract/ledger_cases.h"
#include "ports/contract/ledger_test_client.h"
#include "ports/contract/run_concurrently.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

// Promises about bringing a database up to a schema.
namespace muster::contract {
namespace {

using boost::asio::awaitable;

table::schema only_first_version() {
    auto older = scenario_schema();
    older.migrations.pop_back();
    return older;
}

awaitable<void> migrating_again_changes_nothing(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    co_await scene.write(one_write("machines", {machine("web1", 1)}));

    co_await scene.migrate();
    ledger_test_client another(fixture, scene.database());
    co_await another.migrate();

    const auto rows = co_await another.read_all(all_of("machines"));
    CHECK(rows.size() == 1);
}

awaitable<void> an_older_database_is_brought_up(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate(only_first_version());
    co_await scene.write(one_write("machines", {machine("web1", 1)}));

    auto newest = scenario_schema();
    table::column owner{
        .name = "owner", .type = table::column_type::text, .needed = table::presence::optional};
    newest.migrations.push_back(
        {.version = 3, .description = "owners", .steps = {table::add_column{"machines", owner}}});
    co_await scene.migrate(newest);
    const table::row owned{
        std::string("web2"), std::int64_t{1}, table::null{}, std::string("anna")};
    co_await scene.write(one_write("machines", {owned}));
    for (int again = 0; again < 6; ++again)  // through whichever connections the client has
        co_await scene.write(one_write("machines", {owned}, table::replace{}));

    const auto rows = co_await scene.read_all(all_of("machines"));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at(3) == table::value(table::null{}));
    CHECK(rows[1].at(3) == table::value(std::string("anna")));
    CHECK(integer_cell(rows[1], 4) > integer_cell(rows[0], 4));
}

awaitable<void> a_look_changes_nothing(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    const auto fresh = co_await scene.store().inspect(scenario_schema());
    co_await scene.migrate(only_first_version());
    co_await scene.write(one_write("machines", {machine("web1", 1)}));
    ledger_test_client other(fixture, scene.database());

    const auto before = co_await other.store().inspect(scenario_schema());
    const auto rows = co_await other.read_all(all_of("machines"));
    ledger_test_client older(fixture, scene.database());
    co_await older.migrate(only_first_version());  // still at the first version
    co_await other.migrate();
    const auto after = co_await other.store().inspect(scenario_schema());
    const auto refused = co_await older.store().inspect(only_first_version());

    REQUIRE(fresh.has_value());
    REQUIRE(before.has_value());
    REQUIRE(after.has_value());
    CHECK(*fresh == 0);
    CHECK(*before == 1);
    CHECK(*after == 2);
    CHECK(rows.size() == 1);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::conflict);
}

awaitable<void> a_newer_database_is_refused(ledger_fixture& fixture) {
    ledger_test_client newer(fixture);
    co_await newer.migrate();
    ledger_test_client older(fixture, newer.database());

    const auto refused = co_await older.failure_of_migrate(only_first_version());

    CHECK(refused.code() == errc::conflict);
    CHECK(refused.detail().find("version 2") != std::string::npos);
    co_await newer.write(one_write("machines", {machine("web1", 1)}));
}

awaitable<void> an_altered_history_is_refused(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    auto altered = scenario_schema();
    auto& first = std::get<table::create_table>(altered.migrations[0].steps[0]);
    first.table.columns[2].needed = table::presence::required;

    ledger_test_client another(fixture, scene.database());
    const auto refused = co_await another.failure_of_migrate(altered);

    CHECK(refused.code() == errc::conflict);
    CHECK(refused.detail().find("version 1") != std::string::npos);
}

awaitable<void> a_wrong_schema_is_refused(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    auto wrong = scenario_schema();
    std::get<table::create_table>(wrong.migrations[1].steps[0]).table.key = {"nothing"};

    const auto refused = co_await scene.failure_of_migrate(wrong);
    co_await scene.migrate();

    CHECK(refused.code() == errc::invalid);
    CHECK(refused.detail().find("nothing") != std::string::npos);
}

awaitable<void> start(std::shared_ptr<ledger_test_client> scene, std::string name) {
    co_await scene->migrate();
    co_await scene->write(one_write("machines", {machine(std::move(name), 1)}));
}

awaitable<void> servers_may_start_together(ledger_fixture& fixture) {
    constexpr int servers = 5;
    const std::string database = fixture.fresh_database();
    std::vector<awaitable<void>> starting;
    for (int number = 0; number < servers; ++number) {
        auto scene = std::make_shared<ledger_test_client>(fixture, database);
        starting.push_back(start(std::move(scene), "web" + std::to_string(number)));
    }

    co_await run_concurrently(std::move(starting));

    ledger_test_client scene(fixture, database);
    co_await scene.migrate();
    const auto rows = co_await scene.read_all(all_of("machines"));
    CHECK(rows.size() == servers);
}

awaitable<void> a_database_keeps_its_identity(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    ledger_test_client again(fixture, scene.database());
    co_await again.migrate();
    ledger_test_client other(fixture);
    co_await other.migrate();

    const auto first = co_await scene.store().identity();
    const auto second = co_await again.store().identity();
    const auto third = co_await other.store().identity();

    REQUIRE(first.has_value());
    REQUIRE(second.has_value());
    REQUIRE(third.has_value());
    CHECK(first->version == 2);
    CHECK_FALSE(first->engine.empty());
    CHECK(first->database == second->database);
    CHECK(first->database != third->database);
}

}  // namespace

std::span<const ledger_case> migration_cases() {
    static const std::vector<ledger_case> cases{
        {"migrating again changes nothing", ledger_fault::none, migrating_again_changes_nothing},
        {"an older database is brought up, its rows kept",
         ledger_fault::none,
         an_older_database_is_brought_up},
        {"a look tells the version, lets read, and changes nothing",
         ledger_fault::none,
         a_look_changes_nothing},
        {"a database newer than the program is refused",
         ledger_fault::none,
         a_newer_database_is_refused},
        {"a database with another history is refused",
         ledger_fault::none,
         an_altered_history_is_refused},
        {"a wrong schema is refused by name and nothing is made",
         ledger_fault::none,
         a_wrong_schema_is_refused},
        {"servers that start together do not collide",
         ledger_fault::none,
         servers_may_start_together},
        {"a database keeps its identity", ledger_fault::none, a_database_keeps_its_identity},
    };
    return cases;
}

}  // namespace muster::contract
