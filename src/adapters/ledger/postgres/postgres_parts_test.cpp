#include "adapters/ledger/postgres/binary.h"
#include "adapters/ledger/postgres/group.h"
#include "adapters/ledger/postgres/partitions.h"
#include "adapters/ledger/postgres/query_result.h"
#include "core/table/partition.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::ledger_postgres {
namespace {

using namespace std::chrono_literals;

table::definition events(std::chrono::hours span) {
    return {
        .name = "events",
        .columns = {{.name = "at", .type = table::column_type::time}},
        .key = {"at"},
        .partition = table::partitioning{.column = "at", .span = span}};
}

write_request request_for(
    const std::shared_ptr<const table::catalog>& tables, std::vector<std::string> keys) {
    write_request result;
    result.tables = tables;
    result.rows = keys.size();
    result.bytes = 100 * keys.size();
    result.keys = std::move(keys);
    return result;
}

TEST_CASE("every kind of value comes back from its binary form") {
    const std::vector<table::value> values{
        true,
        false,
        std::int64_t{-7},
        1.25,
        std::string("käse"),
        table::blob{std::string("\0\xff", 2)},
        table::value_limits::time_min,
        table::value_limits::time_max,
        wall_time()};
    for (const auto& value : values) {
        const auto read = from_binary(*table::type_of(value), to_binary(value));
        REQUIRE(read.has_value());
        CHECK(*read == value);
    }
}

TEST_CASE("an answer of another type than declared is corrupt, not misread") {
    CHECK(from_binary(table::column_type::integer, "1234").error().code() == errc::corrupt);
    CHECK(from_binary(table::column_type::boolean, "").error().code() == errc::corrupt);
    CHECK(from_binary(table::column_type::time, "123456789").error().code() == errc::corrupt);
}

TEST_CASE("a partition's name tells where it begins") {
    for (const auto span : {1h, 24h, 24h * 7, 24h * 366}) {
        const auto parent = events(span);
        for (const auto clock :
             {wall_time(), wall_time(-1us), table::value_limits::time_min, wall_time(500'000h)}) {
            const auto start = table::partition_start(*parent.partition, clock);
            const auto named = parse_partition_start(parent, partition_name(parent, start));
            REQUIRE(named.has_value());
            CHECK(table::partition_start(*parent.partition, *named) == start);
        }
    }
    for (const auto* name : {"events", "events_p", "events_p20261301ab", "events_p2026130100", "x"})
        CHECK_FALSE(parse_partition_start(events(24h), name).has_value());
}

TEST_CASE("a refusal that will pass is tried again, one for good is not") {
    for (const auto* passing : {"40001", "40P01", "55P03", "57014", "57P01", "53300", "08006"})
        CHECK(meaning_of(passing) == errc::unavailable);
    CHECK(meaning_of("23505") == errc::conflict);
    CHECK(meaning_of("23514") == errc::not_found);
    CHECK(meaning_of("42501") == errc::denied);
    CHECK(meaning_of("42601") == errc::invalid);
    CHECK(meaning_of("XX001") == errc::corrupt);
}

TEST_CASE("what the server itself does not know is not called undone") {
    for (const auto* unknown : {"40003", "08007"}) {
        CHECK(meaning_of(unknown) == errc::timed_out);
        CHECK(meaning_of_commit(unknown) == errc::timed_out);
    }
}

TEST_CASE("a COMMIT that was sent away may have been done, one that was rolled back was not") {
    for (const auto* sent_away : {"57P01", "57P02", "57P03", "57014", "08006", "58030", "XX000"})
        CHECK(meaning_of_commit(sent_away) == errc::timed_out);
    for (const auto* undone : {"40001", "40P01", "40002", "25P02", "53200", "55P03"})
        CHECK(meaning_of_commit(undone) == errc::unavailable);
    CHECK(meaning_of_commit("23505") == errc::conflict);
    CHECK(meaning_before_commit("08P01") == errc::timed_out);  // a proxy's, for whoever waits first
    CHECK(meaning_before_commit("23505") == errc::conflict);
    CHECK(meaning_of_commit("42501") == errc::denied);
    CHECK(meaning_of_commit("XX001") == errc::corrupt);
}

TEST_CASE("a group takes no row twice, no more than its limits, and one catalog only") {
    settings settings;
    settings.group_rows_max = 3;
    const auto tables = std::make_shared<const table::catalog>();
    const auto others = std::make_shared<const table::catalog>();
    group_limit limit(settings);
    const auto first = request_for(tables, {"a", "b"});
    const auto clashing = request_for(tables, {"b"});
    const auto large = request_for(tables, {"c", "d"});
    const auto foreign = request_for(others, {"c"});
    const auto fitting = request_for(tables, {"c"});

    CHECK(limit.accept(first));
    CHECK_FALSE(limit.accept(clashing));
    CHECK_FALSE(limit.accept(large));
    CHECK_FALSE(limit.accept(foreign));
    CHECK(limit.accept(fitting));
}

TEST_CASE("a request larger than a group is a group of its own") {
    settings settings;
    settings.group_rows_max = 1;
    const auto tables = std::make_shared<const table::catalog>();
    group_limit limit(settings);

    const auto large = request_for(tables, {"a", "b"});
    CHECK(limit.accept(large));
}

}  // namespace
}  // namespace muster::ledger_postgres
