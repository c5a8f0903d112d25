#include "base/prng.h"
#include "core/table/cursor.h"
#include "core/table/encoding.h"
#include "core/table/partition.h"
#include "core/table/store.h"
#include "core/table/utf8.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

namespace muster::table {
namespace {

using namespace std::chrono_literals;

schema machines_schema() {
    const definition machines{
        .name = "machines",
        .columns =
            {{.name = "name"},
             {.name = "state", .type = column_type::integer},
             {.name = "note", .type = column_type::text, .needed = presence::optional}},
        .key = {"name"},
        .partition = {},
        .sequenced = sequencing::by_commit};
    return {
        .migrations = {
            {.version = 1, .description = "machines", .steps = {create_table{machines}}}}};
}

row machine(std::string name, std::int64_t state) {
    return {std::move(name), state, null{}};
}

batch put(std::vector<row> rows, on_existing policy = {}) {
    batch change;
    change.writes.push_back({.table = "machines", .rows = std::move(rows), .existing = policy});
    return change;
}

store migrated() {
    store result;
    REQUIRE(result.migrate(machines_schema()).has_value());
    return result;
}

query machines() {
    query question;
    question.table = "machines";
    return question;
}

value random_value(prng& random) {
    const auto number = static_cast<std::int64_t>(random.next());
    std::string text;
    for (auto left = random.below(20); left > 0; --left)
        text.push_back(static_cast<char>(random.below(256)));
    switch (random.below(7)) {
        case 0:
            return null{};
        case 1:
            return random.chance(500);
        case 2:
            return number;
        case 3:
            return static_cast<double>(number) / 3;
        case 4:
            return text;
        case 5:
            return blob{text};
        default:
            return wall_time(std::chrono::microseconds(number));
    }
}

TEST_CASE("every row comes back from its encoding, and no cut-off one does") {
    prng random(7);
    for (int round = 0; round < 500; ++round) {
        row cells;
        for (auto left = random.below(6); left > 0; --left) cells.push_back(random_value(random));
        const auto text = encode(cells);

        const auto decoded = decode_row(text);
        REQUIRE(decoded.has_value());
        CHECK(*decoded == cells);

        if (text.empty()) continue;
        const auto cut = decode_row(std::string_view(text).substr(0, random.below(text.size())));
        if (cut) CHECK(cut->size() < cells.size());
    }
}

TEST_CASE("a cell has one encoding: a truth that is neither 0 nor 1 is refused") {
    std::string truth = encode(row{value(true)});
    CHECK(decode_row(truth).has_value());

    truth.back() = 2;

    CHECK(decode_row(truth).error().code() == errc::corrupt);
}

TEST_CASE("a zero with a sign is no encoded row: it is written without") {
    auto zero = encode(row{0.0});
    CHECK(encode(row{-0.0}) == zero);
    zero[1] = static_cast<char>(static_cast<unsigned char>(zero[1]) ^ 0x80U);

    CHECK(decode_row(zero).error().code() == errc::corrupt);
}

TEST_CASE("random bytes are never taken for a cursor") {
    prng random(11);
    auto question = machines();
    for (int round = 0; round < 2000; ++round) {
        question.after.clear();
        for (auto left = 1 + random.below(60); left > 0; --left)
            question.after.push_back("0123456789abcdefg"[random.below(17)]);

        const auto decoded = decode_cursor(question, {column_type::text});

        REQUIRE_FALSE(decoded.has_value());
        CHECK(decoded.error().code() == errc::invalid);
    }
}

TEST_CASE("only well-formed UTF-8 without NUL is text") {
    for (const char* good :
         {"", "a", "käse", "\xf0\x9f\x90\x9d", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
        CHECK(is_utf8_without_nul(good));
    for (const char* bad :
         {"\x80",
          "\xc3",
          "\xc0\xaf",
          "\xc3\x28",
          "\xe0\x80\x80",
          "\xed\xa0\x80",
          "\xf4\x90\x80\x80",
          "\xf8\x88\x80\x80\x80",
          "\xf0\x9f\x90"})
        CHECK_FALSE(is_utf8_without_nul(bad));
    CHECK_FALSE(is_utf8_without_nul(std::string_view("a\0b", 3)));
}

TEST_CASE("a migration's digest changes with anything it does, not with its description") {
    const auto original = machines_schema().migrations[0];
    auto described = original;
    described.description = "other words";
    auto altered = original;
    std::get<create_table>(altered.steps[0]).table.columns[2].needed = presence::required;
    auto keyed = original;
    std::get<create_table>(keyed.steps[0]).table.key = {"name", "state"};

    CHECK(digest(original) == digest(described));
    CHECK(digest(original) != digest(altered));
    CHECK(digest(original) != digest(keyed));
}

TEST_CASE("a schema that cannot be is refused with the name of what is wrong") {
    struct mistake {
        definition table;
        std::string name;
    };
    const auto good = std::get<create_table>(machines_schema().migrations[0].steps[0]).table;
    std::vector<mistake> mistakes(7, {good, ""});
    mistakes[0].table.name = "Robert'); DROP TABLE";
    mistakes[0].name = "Robert";
    mistakes[1].table.name = "muster_sequences";
    mistakes[1].name = "muster_sequences";
    mistakes[2].table.columns.push_back(good.columns[0]);
    mistakes[2].name = "name";
    mistakes[3].table.columns.push_back({.name = "sequence"});
    mistakes[3].name = "sequence";
    mistakes[4].table.key = {"note"};
    mistakes[4].name = "note";
    mistakes[5].table.partition = partitioning{.column = "state", .span = 24h};
    mistakes[5].name = "state";
    mistakes[6].table.key.clear();
    mistakes[6].name = "machines";
    for (const auto& each : mistakes) {
        const auto refused = check(each.table);
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().code() == errc::invalid);
        CHECK(refused.error().detail().find(each.name) != std::string::npos);
    }
}

TEST_CASE("a column that comes later must be optional") {
    auto history = machines_schema();
    history.migrations.push_back(
        {.version = 2, .description = "size", .steps = {add_column{"machines", {.name = "size"}}}});

    const auto refused = catalog::of(history);

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().detail().find("size") != std::string::npos);
}

TEST_CASE("a store keeps its rows when a column comes later") {
    store held = migrated();
    REQUIRE(held.write(put({machine("web1", 1)})).has_value());
    auto history = machines_schema();
    const column size{.name = "size", .type = column_type::integer, .needed = presence::optional};
    history.migrations.push_back(
        {.version = 2, .description = "size", .steps = {add_column{"machines", size}}});

    REQUIRE(held.migrate(history).has_value());

    const row expected{std::string("web1"), std::int64_t{1}, null{}, null{}, std::int64_t{1}};
    CHECK(held.read(machines())->rows == std::vector<row>{expected});
    CHECK(held.migrate(machines_schema()).error().code() == errc::conflict);
}

TEST_CASE("any batch written twice changes nothing the second time") {
    const std::vector<on_existing> policies{keep_existing{}, replace{}, replace_if_grows{"state"}};
    prng random(3);
    store held = migrated();
    for (int round = 0; round < 300; ++round) {
        batch change;
        for (int number = 0; number < 8; ++number) {
            if (random.chance(500)) continue;
            const auto name = "web" + std::to_string(number);
            const auto state = static_cast<std::int64_t>(random.below(5));
            change.writes.push_back(
                {.table = "machines",
                 .rows = {machine(name, state)},
                 .existing = policies[random.below(3)]});
        }
        REQUIRE(held.write(change).has_value());
        const auto before = held.read(machines())->rows;
        const auto again = held.write(change);

        REQUIRE(again.has_value());
        CHECK(again->changed == 0);
        CHECK(held.read(machines())->rows == before);
    }
}

TEST_CASE("a follower of the model sees every row's last change") {
    prng random(5);
    store held = migrated();
    std::map<std::string, std::int64_t> followed;
    std::int64_t at = 0;
    for (int round = 0; round < 200; ++round) {
        const auto name = "web" + std::to_string(random.below(10));
        const auto state = static_cast<std::int64_t>(random.below(100));
        REQUIRE(held.write(put({machine(name, state)}, replace{})).has_value());
        if (random.chance(700)) continue;
        auto question = machines();
        question.where = {{"sequence", comparison::greater, {at}}};
        question.order = {"sequence"};
        for (const auto& cells : held.read(question)->rows) {
            followed[std::get<std::string>(cells[0])] = std::get<std::int64_t>(cells[1]);
            at = std::get<std::int64_t>(cells[3]);
        }
        for (const auto& cells : held.read(machines())->rows)
            CHECK(followed[std::get<std::string>(cells[0])] == std::get<std::int64_t>(cells[1]));
    }
    CHECK(held.last_sequence("machines")->value() >= at);
}

TEST_CASE("partitions are aligned to 1970, also before it, and touch each other") {
    const partitioning days{.column = "at", .span = 24h};

    CHECK(partition_start(days, wall_time(0h)) == wall_time(0h));
    CHECK(partition_start(days, wall_time(24h - 1us)) == wall_time(0h));
    CHECK(partition_start(days, wall_time(-1us)) == wall_time(-24h));
    CHECK(partition_start(days, wall_time(-24h)) == wall_time(-24h));
}

}  // namespace
}  // namespace muster::table
