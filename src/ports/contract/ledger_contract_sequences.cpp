#include "ports/contract/ledger_cases.h"
#include "ports/contract/ledger_test_client.h"
#include "ports/contract/run_concurrently.h"
#include "ports/deadline.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Promises about the change sequence and those who follow it.
namespace muster::contract {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr std::size_t sequence_at = 3;  // in a row of `machines`

table::query changes_after(std::int64_t sequence) {
    auto question = all_of("machines");
    question.where = {{"sequence", table::comparison::greater, {sequence}}};
    question.order = {"sequence"};
    return question;
}

awaitable<void> changed_rows_move_to_the_end(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    const auto first =
        co_await scene.write(one_write("machines", {machine("a", 1), machine("b", 1)}));
    co_await scene.write(one_write("machines", {machine("a", 1)}, table::replace{}));  // the same

    const auto second = co_await scene.write(
        one_write("machines", {machine("a", 2), machine("b", 1)}, table::replace{}));

    CHECK(second.last > first.last);
    const auto rows = co_await scene.read_all(changes_after(0));
    REQUIRE(rows.size() == 2);
    CHECK(text_cell(rows[0], 0) == "b");
    CHECK(text_cell(rows[1], 0) == "a");
    CHECK(integer_cell(rows[0], sequence_at) == first.last.value());
    CHECK(integer_cell(rows[1], sequence_at) == second.last.value());
}

struct race {
    std::set<std::string> written;
    std::size_t writing = 0;
};

awaitable<void> write_some(
    std::shared_ptr<ledger_test_client> scene, std::shared_ptr<race> all, int writer) {
    for (int number = 0; number < 25; ++number) {
        const auto name = std::to_string(writer) + "/" + std::to_string(number);
        const auto change = one_write("machines", {machine(name, 1), machine(name + "+", 1)});
        const auto done = co_await scene->write(change);
        CHECK(done.changed + done.kept == 2);
        all->written.insert(name);
        all->written.insert(name + "+");
    }
    --all->writing;
}

// Remembers only how far it came, as a follower does; what appears behind it is lost to it.
awaitable<void> follow(
    std::shared_ptr<ledger_test_client> scene,
    std::shared_ptr<race> all,
    std::shared_ptr<std::set<std::string>> observed) {
    std::int64_t at = 0;
    while (true) {
        const bool last_look = all->writing == 0;
        auto question = changes_after(at);
        question.limit = 11;
        const auto page = co_await scene->read(question);
        for (const auto& cells : page.rows) {
            CHECK(integer_cell(cells, sequence_at) > at);
            at = integer_cell(cells, sequence_at);
            CHECK(observed->insert(text_cell(cells, 0)).second);
        }
        if (!page.rows.empty()) continue;
        if (last_look) co_return;
        const auto waited =
            co_await scene->store().wait_for_change("machines", table::sequence(at), 200ms);
        CHECK(waited.has_value());
    }
}

awaitable<void> a_follower_misses_nothing(ledger_fixture& fixture) {
    constexpr int clients = 2;
    constexpr int writers = 8;
    const std::string database = fixture.fresh_database();
    std::vector<std::shared_ptr<ledger_test_client>> scenes;
    for (int number = 0; number < clients; ++number) {
        scenes.push_back(std::make_shared<ledger_test_client>(fixture, database));
        co_await scenes.back()->migrate();
    }
    auto all = std::make_shared<race>();
    auto observed = std::make_shared<std::set<std::string>>();
    std::vector<awaitable<void>> work;
    for (int number = 0; number < writers; ++number) {
        const auto& scene = scenes[static_cast<std::size_t>(number % clients)];
        work.push_back(write_some(scene, all, number));
        ++all->writing;
    }
    work.push_back(follow(scenes.front(), all, observed));

    co_await run_concurrently(std::move(work));

    CHECK(*observed == all->written);
}

awaitable<void> push_state(
    std::shared_ptr<ledger_test_client> scene, std::int64_t from, std::int64_t step) {
    for (std::int64_t state = from; state < 60; state += step)
        co_await scene->write(
            one_write("machines", {machine("web1", state)}, table::replace_if_grows{"state"}));
}

awaitable<void> the_furthest_state_wins(ledger_fixture& fixture) {
    constexpr std::int64_t writers = 6;
    auto scene = std::make_shared<ledger_test_client>(fixture);
    co_await scene->migrate();
    std::vector<awaitable<void>> work;
    for (std::int64_t writer = 0; writer < writers; ++writer)
        work.push_back(push_state(scene, writer, writers));

    co_await run_concurrently(std::move(work));

    const auto rows = co_await scene->read_all(all_of("machines"));
    REQUIRE(rows.size() == 1);
    CHECK(integer_cell(rows[0], 1) == 59);
}

awaitable<void> write_after(std::shared_ptr<ledger_test_client> scene, monotonic::duration pause) {
    co_await scene->sleep(pause);
    co_await scene->write(one_write("machines", {machine("web2", 1)}));
}

awaitable<void> wait_for(std::shared_ptr<ledger_test_client> scene, table::sequence after) {
    const auto last = co_await scene->store().wait_for_change("machines", after, 20s);
    REQUIRE(last.has_value());
    CHECK(*last > after);
}

awaitable<void> a_wait_ends_when_somebody_writes(ledger_fixture& fixture) {
    auto scene = std::make_shared<ledger_test_client>(fixture);
    co_await scene->migrate();
    auto another = std::make_shared<ledger_test_client>(fixture, scene->database());
    co_await another->migrate();
    const auto first = co_await scene->write(one_write("machines", {machine("web1", 1)}));
    const instant began = scene->clock().now();

    std::vector<awaitable<void>> work;
    work.push_back(wait_for(scene, first.last));
    work.push_back(wait_for(scene, table::sequence()));
    work.push_back(write_after(another, 50ms));
    co_await run_concurrently(std::move(work));

    CHECK(scene->clock().now() - began < 10s);
}

awaitable<void> a_wait_ends_when_timeout_is_over(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    const auto first = co_await scene.write(one_write("machines", {machine("web1", 1)}));

    const auto last = co_await scene.store().wait_for_change("machines", first.last, 100ms);
    const auto unknown = co_await scene.store().wait_for_change("samples", {}, 100ms);

    REQUIRE(last.has_value());
    CHECK(*last == first.last);
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().code() == errc::invalid);
}

}  // namespace

std::span<const ledger_case> sequence_cases() {
    static const std::vector<ledger_case> cases{
        {"a changed row moves to the end of the sequence, an unchanged one stays",
         ledger_fault::none,
         changed_rows_move_to_the_end},
        {"a follower misses nothing while writers race",
         ledger_fault::none,
         a_follower_misses_nothing},
        {"of racing writers of one row the furthest state wins",
         ledger_fault::none,
         the_furthest_state_wins},
        {"a wait ends when somebody writes", ledger_fault::none, a_wait_ends_when_somebody_writes},
        {"a wait ends when patience is over", ledger_fault::none, a_wait_ends_when_timeout_is_over},
    };
    return cases;
}

}  // namespace muster::contract
