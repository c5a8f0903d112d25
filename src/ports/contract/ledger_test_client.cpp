#include "ports/contract/ledger_test_client.h"

#include "ports/deadline.h"

#include <doctest/doctest.h>

#include <functional>
#include <utility>

namespace muster::contract {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;

constexpr auto pause_between_attempts = 50ms;

bool worth_another_try(const error& failure) {
    return failure.code() == errc::unavailable || failure.code() == errc::timed_out;
}

// Asks until the answer is another than "later", or the timeout is over.
template <class T>
async<T> patiently(muster::clock& clock, std::function<async<T>()> ask) {
    const instant timeout_end = clock.now() + ledger_answer_time_max;
    while (true) {
        auto answer = co_await within(clock, ledger_answer_time_max, ask());
        if (answer || !worth_another_try(answer.error())) co_return answer;
        if (clock.now() >= timeout_end) co_return answer;
        CO_CHECK_OK(co_await clock.sleep_for(pause_between_attempts));
    }
}

template <class T>
void require_success(const result<T>& answer) {
    if (!answer) FAIL(to_string(answer.error()));
}

}  // namespace

table::schema scenario_schema() {
    using table::column_type;
    using table::presence;
    const table::definition machines{
        .name = "machines",
        .columns =
            {{.name = "name"},
             {.name = "state", .type = column_type::integer},
             {.name = "note", .type = column_type::text, .needed = presence::optional}},
        .key = {"name"},
        .partition = {},
        .sequenced = table::sequencing::by_commit};
    const table::definition samples{
        .name = "samples",
        .columns =
            {{.name = "id", .type = column_type::integer},
             {.name = "truth", .type = column_type::boolean, .needed = presence::optional},
             {.name = "amount", .type = column_type::integer, .needed = presence::optional},
             {.name = "ratio", .type = column_type::real, .needed = presence::optional},
             {.name = "label", .type = column_type::text, .needed = presence::optional},
             {.name = "body", .type = column_type::bytes, .needed = presence::optional},
             {.name = "seen", .type = column_type::time, .needed = presence::optional}},
        .key = {"id"},
        .partition = {}};
    const table::definition events{
        .name = "events",
        .columns =
            {{.name = "at", .type = column_type::time},
             {.name = "id", .type = column_type::integer},
             {.name = "what"}},
        .key = {"at", "id"},
        .partition = table::partitioning{.column = "at", .span = 24h},
        .sequenced = table::sequencing::by_commit};
    return {
        .migrations = {
            {.version = 1,
             .description = "machines and samples",
             .steps =
                 {table::create_table{machines},
                  table::create_table{samples},
                  table::create_index{"machines_by_state", "machines", {"state", "name"}}}},
            {.version = 2, .description = "events", .steps = {table::create_table{events}}},
        }};
}

table::row machine(std::string name, std::int64_t state) {
    return {std::move(name), state, table::null{}};
}

table::row event(wall_time at, std::int64_t id) {
    return {at, id, std::string("happened")};
}

table::batch one_write(std::string to, std::vector<table::row> rows, table::on_existing policy) {
    table::batch change;
    change.writes.push_back(
        {.table = std::move(to), .rows = std::move(rows), .existing = std::move(policy)});
    return change;
}

table::query all_of(std::string from) {
    table::query question;
    question.table = std::move(from);
    return question;
}

ledger_test_client::ledger_test_client(ledger_fixture& fixture)
    : ledger_test_client(fixture, fixture.fresh_database()) {}

ledger_test_client::ledger_test_client(ledger_fixture& fixture, std::string database)
    : fixture_(fixture), database_(std::move(database)), ledger_(fixture.open(database_)) {}

awaitable<void> ledger_test_client::migrate(table::schema schema) {
    const std::function<async<void>()> ask = [&] {
        return ledger_->migrate(schema);
    };
    require_success(co_await patiently(clock(), ask));
}

awaitable<table::summary> ledger_test_client::write(table::batch change) {
    const std::function<async<table::summary>()> ask = [&] {
        return ledger_->write(change);
    };
    const auto answer = co_await patiently(clock(), ask);
    require_success(answer);
    co_return *answer;
}

awaitable<table::page> ledger_test_client::read(table::query question) {
    const std::function<async<table::page>()> ask = [&] {
        return ledger_->read(question);
    };
    auto answer = co_await patiently(clock(), ask);
    require_success(answer);
    co_return *std::move(answer);
}

awaitable<std::vector<table::row>> ledger_test_client::read_all(table::query question) {
    std::vector<table::row> all;
    while (true) {
        auto page = co_await read(question);
        REQUIRE(page.rows.size() <= question.limit);
        for (auto& cells : page.rows) all.push_back(std::move(cells));
        if (page.next.empty()) co_return all;
        REQUIRE_FALSE(page.rows.empty());
        question.after = page.next;
    }
}

awaitable<error> ledger_test_client::failure_of_migrate(table::schema schema) {
    const std::function<async<void>()> ask = [&] {
        return ledger_->migrate(schema);
    };
    const auto answer = co_await patiently(clock(), ask);
    REQUIRE_FALSE(answer.has_value());
    co_return answer.error();
}

awaitable<error> ledger_test_client::failure_of_write(table::batch change) {
    const std::function<async<table::summary>()> ask = [&] {
        return ledger_->write(change);
    };
    const auto answer = co_await patiently(clock(), ask);
    REQUIRE_FALSE(answer.has_value());
    co_return answer.error();
}

awaitable<error> ledger_test_client::failure_of_read(table::query question) {
    const std::function<async<table::page>()> ask = [&] {
        return ledger_->read(question);
    };
    const auto answer = co_await patiently(clock(), ask);
    REQUIRE_FALSE(answer.has_value());
    co_return answer.error();
}

awaitable<void> ledger_test_client::sleep(monotonic::duration span) {
    require_success(co_await clock().sleep_for(span));
}

std::string text_cell(const table::row& cells, std::size_t at) {
    return std::get<std::string>(cells.at(at));
}

std::int64_t integer_cell(const table::row& cells, std::size_t at) {
    return std::get<std::int64_t>(cells.at(at));
}

}  // namespace muster::contract
