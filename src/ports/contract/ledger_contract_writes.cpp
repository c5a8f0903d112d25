#include "core/table/store.h"
#include "ports/contract/ledger_cases.h"
#include "ports/contract/ledger_test_client.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

// Promises about batches of one client.
namespace muster::contract {
namespace {

using boost::asio::awaitable;

awaitable<void> a_batch_is_done_as_a_whole(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    co_await scene.write(one_write("machines", {machine("old", 1)}));
    table::batch change = one_write("machines", {machine("web1", 1), machine("web2", 1)});
    change.writes.push_back(
        {.table = "events", .rows = {event(wall_time(std::chrono::hours(1)), 1)}});
    change.erasures.push_back({.table = "machines", .keys = {{std::string("old")}}});
    change.erasures.push_back({.table = "machines", .keys = {{std::string("never there")}}});

    const auto done = co_await scene.write(change);

    CHECK(done.changed == 3);
    CHECK(done.kept == 0);
    CHECK(done.erased == 1);
    const auto machines = co_await scene.read_all(all_of("machines"));
    REQUIRE(machines.size() == 2);
    CHECK(text_cell(machines[0], 0) == "web1");
    const auto events = co_await scene.read_all(all_of("events"));
    CHECK(events.size() == 1);
}

awaitable<void> a_refused_batch_does_nothing(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    table::batch half = one_write("machines", {machine("web1", 1)});
    half.writes.push_back({.table = "samples", .rows = {{std::string("no number")}}});

    const auto refused = co_await scene.failure_of_write(half);

    CHECK(refused.code() == errc::invalid);
    const auto rows = co_await scene.read_all(all_of("machines"));
    CHECK(rows.empty());
}

awaitable<void> a_batch_again_changes_nothing(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    const std::vector<table::on_existing> policies{
        table::keep_existing{}, table::replace{}, table::replace_if_grows{"state"}};
    for (const auto& policy : policies) {
        const auto name = "web" + std::to_string(policy.index());
        const auto change = one_write("machines", {machine(name, 1)}, policy);
        const auto first = co_await scene.write(change);
        const auto before = co_await scene.read_all(all_of("machines"));

        const auto second = co_await scene.write(change);

        CHECK(first.changed == 1);
        CHECK(first.last.value() > 0);
        const table::summary nothing{.changed = 0, .kept = 1, .erased = 0, .last = {}};
        CHECK(second == nothing);
        const auto after = co_await scene.read_all(all_of("machines"));
        CHECK(before == after);
    }
}

awaitable<void> an_existing_row_is_treated_as_told(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    co_await scene.write(
        one_write("machines", {machine("kept", 5), machine("new", 5), machine("moves", 5)}));

    table::batch change = one_write("machines", {machine("kept", 6)}, table::keep_existing{});
    change.writes.push_back(
        {.table = "machines", .rows = {machine("new", 4)}, .existing = table::replace{}});
    change.writes.push_back(
        {.table = "machines",
         .rows = {machine("moves", 6), machine("extra", 1)},
         .existing = table::replace_if_grows{"state"}});
    const auto done = co_await scene.write(change);
    const auto back = co_await scene.write(
        one_write("machines", {machine("moves", 2)}, table::replace_if_grows{"state"}));

    CHECK(done.changed == 3);
    CHECK(done.kept == 1);
    CHECK(back.kept == 1);
    const auto rows = co_await scene.read_all(all_of("machines"));
    REQUIRE(rows.size() == 4);
    CHECK(integer_cell(rows[0], 1) == 1);  // extra
    CHECK(integer_cell(rows[1], 1) == 5);  // kept
    CHECK(integer_cell(rows[2], 1) == 6);  // moves
    CHECK(integer_cell(rows[3], 1) == 4);  // new
}

std::vector<table::row> rows_of_every_kind() {
    using limits = std::numeric_limits<std::int64_t>;
    const std::string bytes("\0\xff\n\"'\\\x80 \0", 9);
    const table::value nothing = table::null{};
    return {
        {std::int64_t{1}, nothing, nothing, nothing, nothing, nothing, nothing},
        {std::int64_t{2},
         true,
         limits::max(),
         1.5,
         std::string("käse\t'\"\\\n"),
         table::blob{bytes},
         table::value_limits::time_max},
        {std::int64_t{3},
         false,
         limits::min(),
         -0.1,
         std::string(),
         table::blob{},
         table::value_limits::time_min},
        {limits::max(),
         true,
         std::int64_t{0},
         std::numeric_limits<double>::max(),
         std::string(100'000, 'x'),
         table::blob{std::string(200'000, '\0')},
         wall_time(std::chrono::microseconds(-1))},
        {std::int64_t{4},
         true,
         std::int64_t{-1},
         std::numeric_limits<double>::infinity(),
         std::string("\xf0\x9f\x90\x9d"),
         table::blob{"\n"},
         wall_time()},
        {std::int64_t{5},
         true,
         std::int64_t{-1},
         std::numeric_limits<double>::denorm_min(),
         std::string("\\N"),
         table::blob{"\\N"},
         wall_time(std::chrono::microseconds(1))},
    };
}

awaitable<void> every_kind_of_value_is_kept(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    const auto written = rows_of_every_kind();

    co_await scene.write(one_write("samples", written));

    for (const auto& cells : written) {
        auto question = all_of("samples");
        question.where.push_back({"id", table::comparison::equal, {cells[0]}});
        const auto all = co_await scene.read_all(question);
        REQUIRE(all.size() == 1);
        CHECK(all[0] == cells);
    }
}

awaitable<void> wrong_batches_are_refused_by_name(ledger_fixture& fixture) {
    struct mistake {
        table::batch change;
        std::string name;
    };
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    const auto nul = std::string("a\0b", 3);
    const std::vector<mistake> mistakes{
        {one_write("ghosts", {machine("web1", 1)}), "ghosts"},
        {one_write("machines", {{std::string("web1"), true, table::null{}}}), "machines.state"},
        {one_write("machines", {{table::null{}, std::int64_t{1}, table::null{}}}), "machines.name"},
        {one_write("machines", {{std::string("web1")}}), "machines"},
        {one_write("machines", {machine(nul, 1)}), "machines.name"},
        {one_write("machines", {machine("\xc3\x28", 1)}), "machines.name"},
        {one_write("machines", {machine("a", 1)}, table::replace_if_grows{"size"}), "size"},
        {one_write("machines", {machine("a", 1)}, table::replace_if_grows{"note"}), "note"},
        {one_write("machines", {machine("a", 1), machine("a", 2)}), "machines"},
        {one_write("events", {event(table::value_limits::time_max + std::chrono::seconds(1), 1)}),
         "events.at"},
        {one_write(
             "machines",
             std::vector<table::row>(table::batch_limits::rows_max + 1, machine("a", 1))),
         "10000"},
    };
    for (const auto& each : mistakes) {
        CAPTURE(each.name);
        const auto refused = co_await scene.failure_of_write(each.change);
        CHECK(refused.code() == errc::invalid);
        CHECK(refused.detail().find(each.name) != std::string::npos);
    }
}

table::batch random_batch(prng& random) {
    const std::vector<table::on_existing> policies{
        table::keep_existing{}, table::replace{}, table::replace_if_grows{"state"}};
    table::batch change;
    for (std::int64_t number = 0; number < 12; ++number) {
        const auto name = "web" + std::to_string(number);
        const auto drawn = random.below(6);
        if (drawn < 3) {
            auto state = static_cast<std::int64_t>(random.below(4));
            change.writes.push_back(
                {.table = "machines", .rows = {machine(name, state)}, .existing = policies[drawn]});
        } else if (drawn == 3) {
            change.erasures.push_back({.table = "machines", .keys = {{name}}});
        }
    }
    return change;
}

std::vector<table::row> without_sequence(std::vector<table::row> rows) {
    for (auto& cells : rows) cells.pop_back();
    return rows;
}

awaitable<void> random_batches_end_as_in_the_model(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    table::store model;
    REQUIRE(model.migrate(scenario_schema()).has_value());
    prng random(20'261'115);
    for (int round = 0; round < 40; ++round) {
        const auto change = random_batch(random);
        CAPTURE(round);

        const auto done = co_await scene.write(change);

        auto expected = model.write(change);
        REQUIRE(expected.has_value());
        CHECK(done.changed == expected->changed);
        CHECK(done.kept == expected->kept);
        CHECK(done.erased == expected->erased);
    }
    const auto rows = co_await scene.read_all(all_of("machines"));
    CHECK(without_sequence(rows) == without_sequence(model.read(all_of("machines"))->rows));
}

}  // namespace

std::span<const ledger_case> write_cases() {
    static const std::vector<ledger_case> cases{
        {"a batch is done as a whole", ledger_fault::none, a_batch_is_done_as_a_whole},
        {"a refused batch does nothing", ledger_fault::none, a_refused_batch_does_nothing},
        {"the same batch again changes nothing", ledger_fault::none, a_batch_again_changes_nothing},
        {"a row that is there already is kept, replaced, or replaced only if it grows",
         ledger_fault::none,
         an_existing_row_is_treated_as_told},
        {"every kind of value is read back as it was written",
         ledger_fault::none,
         every_kind_of_value_is_kept},
        {"a wrong batch is refused with the name of what is wrong",
         ledger_fault::none,
         wrong_batches_are_refused_by_name},
        {"random batches end with the rows of the model",
         ledger_fault::none,
         random_batches_end_as_in_the_model},
    };
    return cases;
}

}  // namespace muster::contract
