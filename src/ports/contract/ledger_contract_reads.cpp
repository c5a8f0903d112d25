#include "core/table/store.h"
#include "ports/contract/ledger_cases.h"
#include "ports/contract/ledger_test_client.h"
#include "ports/contract/run_concurrently.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Promises about queries and pages.
namespace muster::contract {
namespace {

using boost::asio::awaitable;
using table::comparison;

std::string numbered(std::uint64_t number) {
    const auto digits = std::to_string(number);
    return "web" + std::string(6 - digits.size(), '0') + digits;
}

awaitable<void> insert_between(
    std::shared_ptr<ledger_test_client> scene, std::shared_ptr<bool> stop) {
    for (int number = 0; !*stop && number < 300; ++number) {
        const auto name = numbered(static_cast<std::uint64_t>(number)) + "_late";
        co_await scene->write(one_write("machines", {machine(name, 9)}));
    }
}

awaitable<void> page_through(
    std::shared_ptr<ledger_test_client> scene,
    std::shared_ptr<std::map<std::string, int>> observed,
    std::shared_ptr<bool> stop) {
    auto question = all_of("machines");
    question.limit = 7;
    const auto rows = co_await scene->read_all(question);
    for (const auto& cells : rows) ++(*observed)[text_cell(cells, 0)];
    *stop = true;
}

awaitable<void> pages_are_complete_while_others_insert(ledger_fixture& fixture) {
    constexpr std::uint64_t standing = 300;
    auto scene = std::make_shared<ledger_test_client>(fixture);
    co_await scene->migrate();
    std::vector<table::row> rows;
    for (std::uint64_t number = 0; number < standing; ++number)
        rows.push_back(machine(numbered(number), 1));
    co_await scene->write(one_write("machines", rows));

    auto observed = std::make_shared<std::map<std::string, int>>();
    auto stop = std::make_shared<bool>(false);
    std::vector<awaitable<void>> work;
    work.push_back(insert_between(scene, stop));
    work.push_back(page_through(scene, observed, stop));
    co_await run_concurrently(std::move(work));

    for (std::uint64_t number = 0; number < standing; ++number)
        CHECK((*observed)[numbered(number)] == 1);
    for (const auto& [name, times] : *observed) CHECK(times == 1);
}

std::vector<table::row> random_samples(prng& random) {
    std::vector<table::row> rows;
    for (std::int64_t id = 0; id < 60; ++id) {
        const auto some = [&](table::value cell) {
            return random.chance(200) ? table::value(table::null{}) : std::move(cell);
        };
        const auto number = static_cast<std::int64_t>(random.below(5)) - 2;
        rows.push_back(
            {id,
             some(random.chance(500)),
             some(number),
             some(static_cast<double>(number) / 2),
             some(std::string(random.below(3), static_cast<char>('A' + random.below(40)))),
             some(table::blob{std::string(random.below(3), static_cast<char>(random.below(256)))}),
             some(wall_time(std::chrono::hours(number)))});
    }
    return rows;
}

table::query random_query(prng& random, const std::vector<table::row>& rows) {
    const std::vector<std::string> columns{
        "id", "truth", "amount", "ratio", "label", "body", "seen"};
    auto question = all_of("samples");
    for (std::uint64_t left = random.below(3); left > 0; --left) {
        const auto at = random.below(columns.size());
        auto compare = static_cast<comparison>(random.below(6));
        std::vector<table::value> values;
        const std::uint64_t desired = compare == comparison::one_of ? random.below(4) : 1;
        while (values.size() < desired) {
            const auto& cell = rows[random.below(rows.size())][at];
            if (table::type_of(cell)) values.push_back(cell);
        }
        question.where.push_back({columns[at], compare, values});
    }
    question.going =
        random.chance(500) ? table::direction::ascending : table::direction::descending;
    question.limit = 1 + random.below(20);
    return question;
}

awaitable<void> random_queries_are_answered_as_by_the_model(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    table::store model;
    REQUIRE(model.migrate(scenario_schema()).has_value());
    prng random(42);
    const auto rows = random_samples(random);
    co_await scene.write(one_write("samples", rows));
    REQUIRE(model.write(one_write("samples", rows)).has_value());

    for (int round = 0; round < 60; ++round) {
        CAPTURE(round);
        auto question = random_query(random, rows);
        while (true) {
            const auto page = co_await scene.read(question);
            const auto expected = model.read(question);
            REQUIRE(expected.has_value());
            REQUIRE(page.rows == expected->rows);
            REQUIRE(page.next == expected->next);
            if (page.next.empty()) break;
            question.after = page.next;
        }
    }
}

awaitable<void> rows_come_in_the_order_asked_for(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    const std::vector<table::row> rows{
        machine("b", 2), machine("a", 2), machine("c", 1), machine("B", 3), machine("ä", 3)};
    co_await scene.write(one_write("machines", rows));

    auto question = all_of("machines");
    question.order = {"state"};
    question.limit = 2;
    const auto up = co_await scene.read_all(question);
    question.going = table::direction::descending;
    const auto down = co_await scene.read_all(question);

    std::string names;
    for (const auto& cells : up) names += text_cell(cells, 0) + " ";
    for (const auto& cells : down) names += text_cell(cells, 0) + " ";
    CHECK(names == "c a b B ä ä B b a c ");
}

awaitable<void> wrong_queries_are_refused_by_name(ledger_fixture& fixture) {
    struct mistake {
        table::query question;
        std::string name;
    };
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    std::vector<mistake> mistakes;
    mistakes.push_back({all_of("ghosts"), "ghosts"});
    auto question = all_of("machines");
    question.where = {{"size", comparison::equal, {std::int64_t{1}}}};
    mistakes.push_back({question, "size"});
    question.where = {{"state", comparison::less, {std::string("1")}}};
    mistakes.push_back({question, "machines.state"});
    question.where = {{"state", comparison::equal, {table::null{}}}};
    mistakes.push_back({question, "machines.state"});
    question.where = {{"state", comparison::equal, {std::int64_t{1}, std::int64_t{2}}}};
    mistakes.push_back({question, "machines.state"});
    question = all_of("machines");
    question.order = {"note"};
    mistakes.push_back({question, "machines.note"});
    question = all_of("machines");
    question.limit = 0;
    mistakes.push_back({question, "limit"});
    question.limit = table::query_limits::rows_max + 1;
    mistakes.push_back({question, "limit"});
    for (const auto& each : mistakes) {
        CAPTURE(each.name);
        const auto refused = co_await scene.failure_of_read(each.question);
        CHECK(refused.code() == errc::invalid);
        CHECK(refused.detail().find(each.name) != std::string::npos);
    }
}

awaitable<void> forged_cursors_are_refused(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    co_await scene.write(one_write("machines", {machine("a", 1), machine("b", 1)}));
    auto question = all_of("machines");
    question.limit = 1;
    const auto first = co_await scene.read(question);
    REQUIRE_FALSE(first.next.empty());

    std::vector<table::query> forged(6, question);
    forged[0].after = "zz";
    forged[1].after = first.next.substr(2);
    forged[2].after = first.next + "00";
    forged[3].after = std::string(100'000, '0');
    forged[4].after = first.next;
    forged[4].going = table::direction::descending;
    forged[5].after = first.next;
    forged[5].where = {{"state", comparison::equal, {std::int64_t{1}}}};

    for (const auto& each : forged) {
        const auto refused = co_await scene.failure_of_read(each);
        CHECK(refused.code() == errc::invalid);
        CHECK(refused.detail().find("cursor") != std::string::npos);
    }
}

awaitable<void> large_rows_make_short_pages(ledger_fixture& fixture) {
    constexpr std::int64_t count = 12;
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    for (std::int64_t id = 0; id < count; ++id) {
        table::row cells(7, table::null{});
        cells[0] = id;
        cells[5] = table::blob{std::string(2'000'000, static_cast<char>(id))};
        co_await scene.write(one_write("samples", {cells}));
    }

    const auto page = co_await scene.read(all_of("samples"));
    const auto rows = co_await scene.read_all(all_of("samples"));

    CHECK(page.rows.size() < count);
    CHECK(rows.size() == count);
}

}  // namespace

std::span<const ledger_case> read_cases() {
    static const std::vector<ledger_case> cases{
        {"page by page every row comes once while others insert",
         ledger_fault::none,
         pages_are_complete_while_others_insert},
        {"random queries are answered as by the model",
         ledger_fault::none,
         random_queries_are_answered_as_by_the_model},
        {"rows come in the order asked for, then by key",
         ledger_fault::none,
         rows_come_in_the_order_asked_for},
        {"a wrong query is refused with the name of what is wrong",
         ledger_fault::none,
         wrong_queries_are_refused_by_name},
        {"a forged cursor, or one of another query, is refused",
         ledger_fault::none,
         forged_cursors_are_refused},
        {"large rows make short pages", ledger_fault::none, large_rows_make_short_pages},
    };
    return cases;
}

}  // namespace muster::contract
