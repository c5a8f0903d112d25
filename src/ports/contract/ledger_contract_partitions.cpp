#include "ports/contract/ledger_cases.h"
#include "ports/contract/ledger_test_client.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

// Promises about tables cut by time.
namespace muster::contract {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

const wall_time midnight = std::chrono::sys_days(std::chrono::year(2026) / 11 / 15);

awaitable<void> rows_of_any_day_are_taken(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    const std::vector<table::row> rows{
        event(midnight + 23h, 2),
        event(midnight, 1),
        event(midnight + 24h, 3),
        event(midnight + 24h * 400, 4),
        event(midnight - 1us, 0),
        event(wall_time(-1us), -1)};

    const auto done = co_await scene.write(one_write("events", rows));
    const auto again = co_await scene.write(one_write("events", rows));

    CHECK(done.changed == rows.size());
    CHECK(again.kept == rows.size());
    const auto all = co_await scene.read_all(all_of("events"));
    REQUIRE(all.size() == rows.size());
    for (std::size_t at = 0; at < all.size(); ++at)
        CHECK(integer_cell(all[at], 1) == static_cast<std::int64_t>(at) - 1);
}

awaitable<void> partitions_can_be_made_ahead(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    const table::partition_range week{"events", midnight, midnight + 24h * 7};

    const auto result = co_await scene.store().ensure_partitions(week);
    const auto again = co_await scene.store().ensure_partitions(week);
    const auto too_many =
        co_await scene.store().ensure_partitions({"events", midnight, midnight + 24h * 100'000});
    const auto none = co_await scene.store().ensure_partitions({"machines", midnight, midnight});

    CHECK(result.has_value());
    CHECK(again.has_value());
    REQUIRE_FALSE(too_many.has_value());
    CHECK(too_many.error().code() == errc::invalid);
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().code() == errc::invalid);
    co_await scene.write(one_write("events", {event(midnight + 1h, 1)}));
}

awaitable<void> retirement_drops_whole_days(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    std::vector<table::row> rows;
    for (std::int64_t hour = 0; hour < 96; hour += 6)
        rows.push_back(event(midnight + hour * 1h, hour));
    co_await scene.write(one_write("events", rows));

    const auto retired = co_await scene.store().drop_partitions("events", midnight + 54h);
    const auto again = co_await scene.store().drop_partitions("events", midnight + 54h);

    CHECK(retired.has_value());
    CHECK(again.has_value());
    const auto left = co_await scene.read_all(all_of("events"));
    REQUIRE(left.size() == 8);
    CHECK(integer_cell(left.front(), 1) == 48);
    const auto late = co_await scene.write(one_write("events", {event(midnight, 100)}));
    CHECK(late.changed == 1);
    const auto refused = co_await scene.store().drop_partitions("machines", midnight);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::invalid);
}

}  // namespace

std::span<const ledger_case> partition_cases() {
    static const std::vector<ledger_case> cases{
        {"rows of any day are taken and come back in order",
         ledger_fault::none,
         rows_of_any_day_are_taken},
        {"partitions can be made ahead, within limits",
         ledger_fault::none,
         partitions_can_be_made_ahead},
        {"retirement drops whole days and nothing younger",
         ledger_fault::none,
         retirement_drops_whole_days},
    };
    return cases;
}

}  // namespace muster::contract
